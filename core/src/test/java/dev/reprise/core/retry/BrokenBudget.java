package dev.reprise.core.retry;

import dev.reprise.core.RetryInfo;
import dev.reprise.core.budget.RetryBudget;

/** A budget of a user that takes no deposits. */
final class BrokenBudget implements RetryBudget {
  @Override
  public int tryWithdraw(RetryInfo failure, long nowNanos) {
    return 0;
  }

  @Override
  public void recordSuccess(int lastCostMilliTokens) {
    throw new IllegalStateException("a broken budget");
  }

  @Override
  public void refund(int costMilliTokens) {}

  @Override
  public int costMilliTokens(RetryInfo failure) {
    return 0;
  }

  @Override
  public long balanceMilliTokens(long nowNanos) {
    return 0;
  }

  @Override
  public long capacityMilliTokens() {
    return 0;
  }
}
