package dev.reprise.lab.fleet;

import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The facts that a device learns of a failed attempt. It is safe to connect again.
 *
 * @param isThrottle true: refused, there were too many
 * @param retryAfter when to come back, or null
 */
record AttemptFailure(boolean isThrottle, @Nullable Duration retryAfter) implements RetryInfo {
  /** The connection failed. */
  static final AttemptFailure CONNECTION = new AttemptFailure(false, null);

  /** Refused without a hint. */
  static final AttemptFailure REFUSAL = new AttemptFailure(true, null);

  @Override
  public RetrySafety isRetrySafe() {
    return RetrySafety.YES;
  }
}
