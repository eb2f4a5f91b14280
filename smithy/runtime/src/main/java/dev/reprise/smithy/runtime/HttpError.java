package dev.reprise.smithy.runtime;

import dev.reprise.core.ErrorInfo;
import dev.reprise.core.RetryInfo;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An error that a service answered with over HTTP. It says of itself whether the request may be
 * sent again, so that a retry needs no list of exceptions.
 *
 * <p>The subclasses are the errors of the model, and {@code UnmodeledHttpError} for all others.
 * They are immutable, and thread-safe as far as any {@link Throwable} is: its stack trace and its
 * suppressed exceptions can be changed.
 */
public abstract class HttpError extends RuntimeException implements RetryInfo, ErrorInfo {
  private static final long serialVersionUID = 1L;

  private final int httpStatus;
  private final @Nullable Duration retryAfter;

  /**
   * Creates the part that all errors have.
   *
   * @param text the message for people, or null
   * @param cause what led to the error, or null
   * @param status the status of the response, or the modelled one
   * @param wait how long the service asked to wait, or null if it did not ask
   */
  protected HttpError(
      @Nullable String text, @Nullable Throwable cause, int status, @Nullable Duration wait) {
    super(text, cause);
    this.httpStatus = status;
    this.retryAfter = wait;
  }

  /**
   * Returns the status code of the response. An error that did not come from a response has the
   * status that the model gives it.
   */
  public final int httpStatus() {
    return httpStatus;
  }

  /**
   * Returns how long the service asked to wait before the next attempt, or null if it did not ask.
   * It is never negative when it comes from a response.
   */
  @Override
  public final @Nullable Duration retryAfter() {
    return retryAfter;
  }
}
