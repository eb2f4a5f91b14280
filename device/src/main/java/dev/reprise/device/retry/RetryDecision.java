package dev.reprise.device.retry;

import dev.reprise.core.InvalidSettingException;
import java.time.Duration;

/**
 * The answer of a {@link RetryPolicy}.
 *
 * @param shouldRetry whether to try again
 * @param delay how long to wait first, at least 0; means nothing when there is no retry
 */
public record RetryDecision(boolean shouldRetry, Duration delay) {
  private static final RetryDecision STOP = new RetryDecision(false, Duration.ZERO);

  /** Checks the delay; throws {@link IllegalArgumentException} when it is negative. */
  public RetryDecision {
    if (delay.isNegative()) {
      throw new InvalidSettingException("delay", delay, "must be >= 0");
    }
  }

  /** Returns the decision to try again after a delay of at least 0. */
  public static RetryDecision retryAfter(Duration delay) {
    return new RetryDecision(true, delay);
  }

  /** Returns the decision to give up. */
  public static RetryDecision stop() {
    return STOP;
  }
}
