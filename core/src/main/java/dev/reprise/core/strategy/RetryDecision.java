package dev.reprise.core.strategy;

import dev.reprise.core.StopReason;
import java.util.Objects;

/** The decision after a failure: wait and try again, or stop. */
public sealed interface RetryDecision {
  /**
   * Try again after a delay.
   *
   * @param retry the retry to come, counted from 1
   * @param delayNanos how long to wait from the end of the failed attempt, at least 0: the longer
   *     of backoff and hint
   * @param backoffNanos the part that the backoff asked for, at least 0
   * @param hintNanos the part that the other side asked for, at least 0, or {@link #NO_HINT}
   */
  record Retry(int retry, long delayNanos, long backoffNanos, long hintNanos)
      implements RetryDecision {
    /** The value of {@link #hintNanos} when the other side asked for nothing. */
    public static final long NO_HINT = -1;
  }

  /**
   * Do not try again.
   *
   * @param reason why
   */
  record Stop(StopReason reason) implements RetryDecision {
    /** Checks that there is a reason. */
    public Stop {
      Objects.requireNonNull(reason, "reason");
    }
  }
}
