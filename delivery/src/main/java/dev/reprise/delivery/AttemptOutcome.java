package dev.reprise.delivery;

import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import org.jspecify.annotations.Nullable;

/**
 * What came of one attempt, in terms that hold for every protocol.
 *
 * @param failure the facts that decide about a retry; null if the attempt succeeded
 * @param status the protocol's status, such as an HTTP status code; 0 if there was none
 * @param summary one line for people, such as {@code 503 Service Unavailable}
 * @param address the network address that was used, or empty
 * @param response the first bytes of the response, at most {@value #MAX_RESPONSE_BYTES}
 * @param durationNanos how long the attempt took, in nanoseconds
 */
public record AttemptOutcome(
    @Nullable RetryInfo failure,
    int status,
    String summary,
    String address,
    byte[] response,
    long durationNanos) {
  /** How much of a response the attempt log keeps, in bytes. */
  public static final int MAX_RESPONSE_BYTES = 1024;

  /** Checks the response's length. */
  public AttemptOutcome {
    if (response.length > MAX_RESPONSE_BYTES) {
      throw new IllegalArgumentException(
          "response has " + response.length + " bytes: must have at most " + MAX_RESPONSE_BYTES);
    }
  }

  /** The outcome of an attempt that failed in this process before anything was sent. */
  public static AttemptOutcome internalError(RuntimeException error) {
    return new AttemptOutcome(
        () -> RetrySafety.YES, 0, "internal error: " + error, "", new byte[0], 0);
  }

  /** Whether the endpoint took the message. */
  public boolean succeeded() {
    return failure == null;
  }
}
