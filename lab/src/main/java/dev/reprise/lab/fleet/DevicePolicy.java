package dev.reprise.lab.fleet;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.lab.kernel.RetryDelays;
import dev.reprise.policy.BudgetPolicy;
import dev.reprise.policy.Policy;
import dev.reprise.policy.StrategyKind;
import dev.reprise.policy.StrategyPolicy;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The decisions of a device: the core's policies, made from a policy document, in the order of the
 * standard strategy. Attempts fail at once here, so a timeout of attempts and hedging have nothing
 * to do. Immutable.
 *
 * @param delays decides how long to wait, and whether to go on
 * @param deadlineNanos from the first attempt until when another may start, or {@link
 *     Long#MAX_VALUE}
 * @param budget what pays for the retries of each device, or null when nothing is to be paid
 */
record DevicePolicy(RetryDelays delays, long deadlineNanos, @Nullable BudgetPolicy budget) {
  /** The answer of {@link #delayNanos} when the device gives up. */
  static final long STOP = RetryDelays.STOP;

  /** Returns the object that decides for a device with this policy. */
  static DevicePolicy of(Policy policy) {
    StrategyPolicy strategy = policy.toStrategyPolicy();
    if (strategy.strategy() == StrategyKind.ADAPTIVE) {
      throw new InvalidSettingException(
          "strategy",
          "adaptive",
          "must be standard or none in a fleet, where a device makes too few"
              + " calls to measure a rate");
    }
    Duration deadline = strategy.calls().deadline();
    return new DevicePolicy(
        RetryDelays.of(strategy),
        deadline == null ? Long.MAX_VALUE : deadline.toNanos(),
        strategy.budget() instanceof BudgetPolicy.Unlimited ? null : strategy.budget());
  }

  /**
   * Decides what follows a failed attempt.
   *
   * @param retriesMade 0 after the first attempt
   * @param budget what pays, or null for whatever there is to pay
   * @param sinceFirstNanos from the first attempt until now
   * @param nowNanos from the start of the run
   * @return how long to wait, or {@link #STOP}
   */
  long delayNanos(
      int retriesMade,
      AttemptFailure failure,
      @Nullable RetryBudget budget,
      long sinceFirstNanos,
      long nowNanos,
      RandomGenerator random) {
    long delayNanos = delays.delayNanos(retriesMade, failure, random);
    if (delayNanos == STOP) {
      return STOP;
    }

    // A retry that cannot start before the deadline is not made.
    if (deadlineNanos != Long.MAX_VALUE && delayNanos > deadlineNanos - sinceFirstNanos) {
      return STOP;
    }

    // Last, so that what is refused above costs nothing.
    if (budget != null && budget.tryWithdraw(failure, nowNanos) == RetryBudget.DENIED) {
      return STOP;
    }
    return delayNanos;
  }
}
