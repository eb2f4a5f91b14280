package dev.reprise.core;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Tells what a failure means for a retry (Smithy guide "Retrying Requests"). Exceptions may
 * implement it, and so may plain values that describe a failure.
 */
public interface RetryInfo {
  /** Returns whether it is safe to repeat the operation that failed in this way. */
  RetrySafety isRetrySafe();

  /** Returns true when the other side refused because too much was asked of it. */
  default boolean isThrottle() {
    return false;
  }

  /** Returns true when the operation failed because it took too long. */
  default boolean isTimeout() {
    return false;
  }

  /**
   * Returns how long the other side asked to wait before the next attempt, or null when it gave no
   * hint. A hint alone does not make a failure retryable. A negative hint counts as none.
   */
  default @Nullable Duration retryAfter() {
    return null;
  }
}
