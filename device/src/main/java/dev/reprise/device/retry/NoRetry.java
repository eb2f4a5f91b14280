package dev.reprise.device.retry;

import dev.reprise.device.error.TransportException;

/** Never retries. Immutable and thread-safe. */
public final class NoRetry implements RetryPolicy {
  /** Creates the policy. */
  public NoRetry() {}

  @Override
  public RetryDecision getRetryDecision(int currentRetryCount, TransportException lastException) {
    BackoffPolicy.requireCount(currentRetryCount);
    return RetryDecision.stop();
  }

  @Override
  public String toString() {
    return "NoRetry";
  }
}
