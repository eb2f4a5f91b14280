package dev.reprise.lab.meanfield;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.lab.figure.FleetFigures;
import dev.reprise.lab.figure.FleetTally;
import dev.reprise.lab.figure.RunRecord;
import dev.reprise.lab.kernel.DelayLaw;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.policy.Policy;
import java.time.Duration;
import java.util.List;

/**
 * Solves a fleet under a policy as a fluid: what a run of infinitely many devices, scaled to the
 * model's number, would give. Its cost does not depend on that number.
 *
 * <p>Devices that have made the same number of retries are one class; retries from which on the
 * delays no longer change are one class too. Time goes in steps. In each step those that are due
 * meet the quota; those that fail wait by the law of their next delay, which is read off the
 * production backoff ({@link DelayLaw}).
 *
 * <p>If the quota's bucket holds fewer than 50 tokens, it accepts as many as of random arrivals;
 * see {@link ScatteredArrivals}. Beside simulations of random fleets whose buckets hold 1 to 50
 * tokens, half and 99 % of the devices are back, and attempts are made, within 8 % of what it says
 * (mostly within 1 %); the last device, which chance decides, within 6 % on average. Its peaks are
 * those of expected numbers: of fewer than some 1,000 attempts a second, chance makes them higher
 * by a tenth, and of fewer than 10 by a half or more.
 *
 * <p>It knows no other chance: where the load is within a few percent of the capacity for long,
 * chance refuses some devices that the fluid accepts, and the last of them is later than it says.
 * So it is with a fixed hint that is longer than the delays of the policy: it makes devices come in
 * waves, and one wave more or less is much time. With a hint of 100 s, of a million devices at
 * 5,000/s the last is back within 1 % of what it says; of 100,000 at 500/s, a fifth later. Fleets
 * below 1,000 devices it refuses.
 *
 * <p>Where all devices are unreachable, or refused for good, and come as evenly as they ever will,
 * it skips the time until something changes: an outage of a month costs what one of an hour does.
 *
 * <p>It cannot follow what a device remembers beside its retries (an interval between its attempts,
 * a budget that runs out, a deadline, a slot), nor chance that is the same for all (bursts), and
 * refuses those. Of devices that all start within less than a step it makes a step.
 */
public final class MeanField {
  /** The step of runs that are not long: fine enough for 1 % of a drain of a second. */
  public static final Duration STEP = Duration.ofMillis(10);

  private static final Duration MAX_STEP = Duration.ofMillis(100);
  private static final Duration LONG_RUN = Duration.ofHours(12);
  private static final Duration LONG_DELAY = Duration.ofHours(3);

  private MeanField() {}

  /**
   * Returns the figures and series of a fleet, in steps of 10 ms; of 100 ms where the run can last
   * more than twelve hours or a delay more than three.
   *
   * @throws IllegalArgumentException naming the field that a fluid cannot follow
   */
  public static RunRecord solve(FleetModel model, Policy policy) {
    boolean isLong =
        model.horizon().compareTo(LONG_RUN) > 0 || longestDelay(policy).compareTo(LONG_DELAY) > 0;
    return solve(model, policy, isLong ? MAX_STEP : STEP);
  }

  /**
   * Returns the figures and series of a fleet, in other steps: wider ones are less exact and cost
   * less.
   *
   * @param step 1 to 100 ms, and a whole part of 100 ms
   * @throws IllegalArgumentException naming the field that a fluid cannot follow
   */
  public static RunRecord solve(FleetModel model, Policy policy, Duration step) {
    if (step.compareTo(Duration.ofMillis(1)) < 0
        || step.compareTo(MAX_STEP) > 0
        || MAX_STEP.toNanos() % step.toNanos() != 0) {
      throw new InvalidSettingException(
          "step", step, "must be 1 to 100 ms, and a whole part of 100 ms");
    }
    MeanFieldRequirements.requireModel(model);
    MeanFieldRequirements.requirePolicy(model, "policy", policy.toStrategyPolicy());
    Policy minority = model.minority().policy();
    if (minority != null) {
      MeanFieldRequirements.requirePolicy(model, "minority.policy", minority.toStrategyPolicy());
    }
    MeanFieldRequirements.requireDevices(model);
    double stepSeconds = step.toNanos() / 1e9;
    MeanFieldRequirements.requireDelays(model, "policy", policy.toStrategyPolicy(), stepSeconds);
    if (minority != null) {
      MeanFieldRequirements.requireDelays(
          model, "minority.policy", minority.toStrategyPolicy(), stepSeconds);
    }
    Fluid fluid = new Fluid(model, policy.toStrategyPolicy(), stepSeconds);
    FleetTally tally = fluid.run();
    return new RunRecord(
        0, FleetFigures.of(model, tally), FleetSeries.of(model, tally), List.of(), fluid.events());
  }

  private static Duration longestDelay(Policy policy) {
    long longestNanos =
        Math.max(
            policy.backoff().range(Integer.MAX_VALUE).highestNanos(),
            policy.throttleBackoff().range(Integer.MAX_VALUE).highestNanos());
    return Duration.ofNanos(longestNanos);
  }
}
