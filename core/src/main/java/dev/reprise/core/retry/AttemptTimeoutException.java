package dev.reprise.core.retry;

import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import java.time.Duration;

/**
 * An attempt took longer than it may. It was cancelled, but what it asked for may still have taken
 * effect, so it is retried only when the operation is idempotent.
 */
public final class AttemptTimeoutException extends RuntimeException implements RetryInfo {
  private static final long serialVersionUID = 1;

  private final Duration limit;

  /** Creates the exception of an attempt that was cut off after the limit. */
  public AttemptTimeoutException(Duration limit) {
    // No stack trace: it would show the timer and not the attempt.
    super("the attempt was cut off after " + limit, null, true, false);
    this.limit = limit;
  }

  /** Returns how long the attempt was allowed to take. */
  public Duration limit() {
    return limit;
  }

  @Override
  public RetrySafety isRetrySafe() {
    return RetrySafety.MAYBE;
  }

  @Override
  public boolean isTimeout() {
    return true;
  }
}
