package dev.reprise.core.budget;

import dev.reprise.core.RetryInfo;

/** The budget that is always full. */
enum Unlimited implements RetryBudget {
  INSTANCE;

  @Override
  public int tryWithdraw(RetryInfo failure, long nowNanos) {
    return 0;
  }

  @Override
  public void recordSuccess(int lastCostMilliTokens) {}

  @Override
  public void refund(int costMilliTokens) {}

  @Override
  public int costMilliTokens(RetryInfo failure) {
    return 0;
  }

  @Override
  public long balanceMilliTokens(long nowNanos) {
    return Long.MAX_VALUE;
  }

  @Override
  public long capacityMilliTokens() {
    return Long.MAX_VALUE;
  }

  @Override
  public boolean fillsWithTime() {
    return false;
  }

  @Override
  public String toString() {
    return "unlimited";
  }
}
