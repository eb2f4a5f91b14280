package dev.reprise.core.retry;

import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An attempt returned a result that was not accepted. It stands for the result in events and among
 * earlier failures. When no attempt follows, the caller gets the result and not this exception; it
 * is thrown only when the wait for the next attempt is cut off, for the result is closed by then.
 */
public final class RejectedResultException extends RuntimeException implements RetryInfo {
  private static final long serialVersionUID = 1;

  private final RetrySafety safety;
  private final boolean throttle;
  private final boolean timeout;
  private final @Nullable Duration retryAfter;

  private RejectedResultException(RetryInfo info, @Nullable Object result) {
    // Not the result itself: it may hold secrets, and this text ends in logs.
    super("result not accepted: " + (info == result ? facts(info) : info), null, true, false);
    this.safety = info.isRetrySafe();
    this.throttle = info.isThrottle();
    this.timeout = info.isTimeout();
    this.retryAfter = info.retryAfter();
  }

  /** Returns the failure that stands for a result. */
  static RuntimeException of(RetryInfo info, @Nullable Object result) {
    return new RejectedResultException(info, result);
  }

  private static String facts(RetryInfo info) {
    Duration retryAfter = info.retryAfter();
    return "it says "
        + info.isRetrySafe()
        + (info.isThrottle() ? ", throttle" : "")
        + (info.isTimeout() ? ", timeout" : "")
        + (retryAfter == null ? "" : ", retry after " + retryAfter);
  }

  @Override
  public RetrySafety isRetrySafe() {
    return safety;
  }

  @Override
  public boolean isThrottle() {
    return throttle;
  }

  @Override
  public boolean isTimeout() {
    return timeout;
  }

  @Override
  public @Nullable Duration retryAfter() {
    return retryAfter;
  }
}
