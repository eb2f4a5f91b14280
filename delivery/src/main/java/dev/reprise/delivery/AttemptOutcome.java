package dev.reprise.delivery;

import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of one attempt, in terms that hold for every protocol.
 *
 * @param failure the facts that decide about a retry; null if the attempt succeeded
 * @param status the protocol's status, such as an HTTP status code; 0 if there was none
 * @param summary one line for people, such as {@code 503 Service Unavailable}
 * @param address the network address that was used, or empty
 * @param response the first bytes of the response, at most {@value #MAX_RESPONSE_BYTES}
 * @param durationNanos how long the attempt took, in nanoseconds
 * @param made false if the attempt was not begun for a reason of this process alone, such as no
 *     free connection: then it counts as no attempt, says nothing of the endpoint, and {@code
 *     failure} is a fact that is always safe to retry
 */
public record AttemptOutcome(
    @Nullable RetryInfo failure,
    int status,
    String summary,
    String address,
    byte[] response,
    long durationNanos,
    boolean made) {
  /** The part of a response that the attempt log keeps, in bytes. */
  public static final int MAX_RESPONSE_BYTES = 1024;

  private static final byte[] NO_RESPONSE = {};
  private static final RetryInfo REFUSAL = () -> RetrySafety.YES;

  /** Checks the response's length, and that only a failure was not made. */
  public AttemptOutcome {
    if (response.length > MAX_RESPONSE_BYTES) {
      throw new IllegalArgumentException(
          "response has " + response.length + " bytes: must have at most " + MAX_RESPONSE_BYTES);
    }
    if (!made && failure == null) {
      throw new IllegalArgumentException("made is false: an attempt not made has no success");
    }
  }

  /** The outcome of an attempt that was made. */
  public AttemptOutcome(
      @Nullable RetryInfo failure,
      int status,
      String summary,
      String address,
      byte[] response,
      long durationNanos) {
    this(failure, status, summary, address, response, durationNanos, true);
  }

  /**
   * The outcome of an attempt that was not begun, for a reason of this process alone. Nothing was
   * sent, and the endpoint is not at fault.
   *
   * @param summary the reason, on one line for people
   */
  public static AttemptOutcome notMade(String summary) {
    return new AttemptOutcome(() -> RetrySafety.YES, 0, summary, "", NO_RESPONSE, 0, false);
  }

  /**
   * The outcome of an attempt that must not go where it was to go: by the rules of this process the
   * address is not allowed, or the request would not be one. That is no fault of the message: the
   * allow-list or a name server's answer may be wrong today. So it is safe to retry.
   *
   * @param detail the value and the rule, on one line for people
   */
  public static AttemptOutcome refused(String detail) {
    return new AttemptOutcome(REFUSAL, 0, "refused: " + detail, "", NO_RESPONSE, 0);
  }

  /** The outcome of an attempt that failed in this process before anything was sent. */
  public static AttemptOutcome internalError(RuntimeException error) {
    return new AttemptOutcome(
        () -> RetrySafety.YES, 0, "internal error: " + error, "", NO_RESPONSE, 0);
  }

  /** Whether the endpoint took the message. */
  public boolean succeeded() {
    return failure == null;
  }

  /** Whether it is of {@link #refused}. */
  public boolean isRefused() {
    return failure == REFUSAL;
  }
}
