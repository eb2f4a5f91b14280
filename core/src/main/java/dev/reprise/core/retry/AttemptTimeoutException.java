package dev.reprise.core.retry;

import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import java.time.Duration;
import java.util.Objects;

/**
 * An attempt took longer than it may. It was cancelled, but what it asked for may still have taken
 * effect, so it is retried only when the operation is idempotent.
 *
 * <p>Its stack trace is that of the thread on which a blocking attempt hung, at that moment. An
 * asynchronous attempt hangs on no thread: then the message names the {@link Retry} and the class
 * of the operation.
 */
public final class AttemptTimeoutException extends RuntimeException implements RetryInfo {
  private static final long serialVersionUID = 1;

  private final Duration limit;

  /** Creates the exception of an attempt that was cut off after the limit. */
  public AttemptTimeoutException(Duration limit) {
    this(Objects.requireNonNull(limit, "limit"), "", new StackTraceElement[0]);
  }

  /**
   * Creates the exception of an attempt somewhere in a program.
   *
   * @param place after the rest of the message
   * @param hung where the attempt was when it was cut off; may be empty
   */
  AttemptTimeoutException(Duration limit, String place, StackTraceElement[] hung) {
    super("the attempt was cut off after " + limit + place, null, true, true);
    this.limit = limit;
    setStackTrace(hung);
  }

  /** Leaves out the trace of the timer, whose thread it is that notices. */
  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
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
