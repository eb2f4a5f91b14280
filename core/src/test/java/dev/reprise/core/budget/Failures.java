package dev.reprise.core.budget;

import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;

/** The kinds of failure that have a price. */
final class Failures {
  static final RetryInfo ERROR = new Failure(false, false);
  static final RetryInfo THROTTLE = new Failure(true, false);
  static final RetryInfo TIMEOUT = new Failure(false, true);
  static final RetryInfo THROTTLE_AND_TIMEOUT = new Failure(true, true);

  private Failures() {}

  /** Returns how often the budget pays until it denies. */
  static int withdrawAll(RetryBudget budget, RetryInfo failure, long nowNanos) {
    int withdrawals = 0;
    while (budget.tryWithdraw(failure, nowNanos) != RetryBudget.DENIED) {
      withdrawals++;
    }
    return withdrawals;
  }

  private record Failure(boolean isThrottle, boolean isTimeout) implements RetryInfo {
    @Override
    public RetrySafety isRetrySafe() {
      return RetrySafety.YES;
    }
  }
}
