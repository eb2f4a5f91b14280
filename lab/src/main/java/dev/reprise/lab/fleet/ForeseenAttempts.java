package dev.reprise.lab.fleet;

import dev.reprise.common.text.AmountText;
import dev.reprise.lab.scenario.Failure;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.policy.BudgetPolicy;
import dev.reprise.policy.Policy;
import dev.reprise.policy.StrategyPolicy;
import dev.reprise.policy.preview.SchedulePreview;
import dev.reprise.policy.preview.SchedulePreview.Row;
import java.time.Duration;
import java.util.List;

/**
 * Computes how many attempts devices will make in an outage from their delays: in an outage nothing
 * but the policy ends them. A policy that hardly waits would let a run go on for hours.
 *
 * @param share of the devices that make their first attempt in the outage
 * @param ofEach how many attempts such a device makes in it, on average
 */
record ForeseenAttempts(double share, double ofEach) {
  /** Minutes of work. */
  private static final double MAX_IN_ALL = 1e10;

  /** A retry that would come within the tick comes with the next. */
  private static final double MIN_SECONDS = 1.0 / TickTime.TICKS_PER_SECOND;

  /**
   * Refuses a policy whose devices would make too many attempts in an outage.
   *
   * @param field where the policy is
   * @param devices how many have it
   * @throws IllegalArgumentException naming the backoff, the outage and the attempts
   */
  static void requireFew(FleetModel model, String field, Policy policy, int devices) {
    for (Failure failure : model.failures()) {
      if (failure instanceof Failure.Outage outage) {
        ForeseenAttempts foreseen = of(model, outage, policy);
        String inOutage =
            " in the outage of " + AmountText.seconds(seconds(outage.to().minus(outage.from())));
        String backoff = field + " is " + policy.backoff() + ": must make ";
        if (foreseen.times(devices) > 0 && foreseen.ofEach >= FleetRun.MAX_ATTEMPTS) {
          throw new IllegalArgumentException(
              backoff
                  + "fewer than "
                  + AmountText.count(FleetRun.MAX_ATTEMPTS)
                  + " attempts of a device"
                  + inOutage
                  + ", and would make some "
                  + AmountText.count(foreseen.ofEach));
        }
        double inAll = foreseen.times((double) devices / outage.zone().zones());
        if (inAll > MAX_IN_ALL) {
          throw new IllegalArgumentException(
              backoff
                  + "at most "
                  + AmountText.count(MAX_IN_ALL)
                  + " attempts"
                  + inOutage
                  + ", and would make some "
                  + AmountText.count(inAll)
                  + "; a fleet of fewer devices and as much less capacity shows the same");
        }
      }
    }
  }

  /** Returns how many attempts so many devices make in all outages together. */
  static double inAll(FleetModel model, Policy policy, int devices) {
    double attempts = 0;
    for (Failure failure : model.failures()) {
      if (failure instanceof Failure.Outage outage) {
        attempts += of(model, outage, policy).times((double) devices / outage.zone().zones());
      }
    }
    return attempts;
  }

  /** Returns the attempts in an outage that hits all devices. */
  static ForeseenAttempts of(FleetModel model, Failure.Outage outage, Policy policy) {
    StrategyPolicy strategy = policy.toStrategyPolicy();
    double from = seconds(outage.from());
    double to = Math.min(seconds(outage.to()), seconds(model.horizon()));
    double spread = seconds(model.spread());

    // Devices that came before it stay connected, or are a matter of the quota.
    double latest = Math.min(to, spread);
    if (latest < from || to <= from) {
      return new ForeseenAttempts(0, 0);
    }

    // A device with a budget stops when that is used up, sooner or later.
    if (!(strategy.budget() instanceof BudgetPolicy.Unlimited)) {
      return new ForeseenAttempts(0, 0);
    }

    double away = to - (from + latest) / 2;
    Duration deadline = strategy.calls().deadline();
    double trying = deadline == null ? away : Math.min(away, seconds(deadline));
    double share = spread == 0 ? 1 : (latest - from) / spread;
    return new ForeseenAttempts(share, attemptsIn(trying, strategy));
  }

  /** Returns how many attempts that many devices make in all. */
  double times(double devices) {
    return share * ofEach * devices;
  }

  private static double attemptsIn(double seconds, StrategyPolicy policy) {
    List<Row> rows = SchedulePreview.of(policy, "").rows();
    double attempts = 1;
    double left = seconds;
    for (int i = 0; i < rows.size() && left > 0; i++) {
      Row row = rows.get(i);
      double delay = Math.max(MIN_SECONDS, seconds(row.delay().expected()));
      // A schedule that is cut off goes on at least about as slowly.
      int last = i + 1 < rows.size() ? row.lastRetry() : policy.maxRetries();
      double retries = Math.min(last - row.firstRetry() + 1.0, left / delay);
      attempts += retries;
      left -= retries * delay;
    }
    return attempts;
  }

  private static double seconds(Duration span) {
    return span.toNanos() / 1e9;
  }
}
