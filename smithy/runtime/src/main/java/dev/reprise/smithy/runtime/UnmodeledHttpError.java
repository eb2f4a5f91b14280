package dev.reprise.smithy.runtime;

import dev.reprise.core.ErrorFault;
import dev.reprise.core.RetrySafety;
import dev.reprise.core.http.HttpFailure;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An error that the model does not know: the service is newer than the model, a general error such
 * as throttling that no model lists, or the answer of a proxy on the way.
 *
 * <p>Its facts are those of its status (see {@link HttpFailure}): 429, and 503 with a wait, are
 * throttling and may be sent again; 408 and 5xx may have taken effect; any other is not sent again.
 * Two groups of codes say more than the status, which is 400 in many services:
 *
 * <ul>
 *   <li>Codes of throttling, such as {@code ThrottlingException}: the request was turned away
 *       unprocessed, so it may be sent again.
 *   <li>{@code RequestTimeout} and {@code RequestTimeoutException}: the service stopped waiting for
 *       the request. It is a timeout, and as with the status 408 the request may have taken effect.
 * </ul>
 *
 * <p>The message has the status and the code, never text of the body: that may hold secrets.
 */
public final class UnmodeledHttpError extends HttpError {
  private static final long serialVersionUID = 1L;

  /** The longest text that is taken for the name of a shape. */
  private static final int MAX_CODE_LENGTH = 128;

  /**
   * The codes of throttling in AWS's own clients; each means that the request was not processed.
   */
  private static final Set<String> THROTTLE_CODES =
      Set.of(
          // The rate of requests, or the bandwidth, is above what is allowed.
          "Throttling",
          "ThrottlingException",
          "ThrottledException",
          "RequestThrottled",
          "RequestThrottledException",
          "TooManyRequestsException",
          "ProvisionedThroughputExceededException",
          "RequestLimitExceeded",
          "BandwidthLimitExceeded",
          "SlowDown",
          "EC2ThrottledException",
          // Often a limit on operations at the same time, which frees itself. It may be a quota of
          // things that only people can raise; then a few slow retries are lost.
          "LimitExceededException",
          // An earlier request is still at work. This one was refused, and its turn may come.
          "PriorRequestNotComplete",
          "TransactionInProgressException");

  private static final Set<String> TIMEOUT_CODES =
      Set.of("RequestTimeout", "RequestTimeoutException");

  /** The code that the service reported; empty if it reported none. */
  private final String code;

  /**
   * Creates the error of a response.
   *
   * @throws IllegalArgumentException if the status is one of success
   */
  UnmodeledHttpError(int status, String reportedCode, @Nullable Duration retryAfter) {
    super(message(status, printable(reportedCode)), null, status, retryAfter);
    this.code = printable(reportedCode);
  }

  /**
   * Returns the code that the service reported, such as {@code ValidationException}, or an empty
   * text when it reported none. It has letters, digits, {@code .}, {@code _} and {@code -} only,
   * and at most 128 of them; what else was sent is left out.
   */
  public String code() {
    return code;
  }

  @Override
  public ErrorFault fault() {
    return facts().fault();
  }

  @Override
  public RetrySafety isRetrySafe() {
    // The service says that it turned the request away unprocessed.
    if (isThrottle()) {
      return RetrySafety.YES;
    }

    // Somewhere between the client and the service the request was given up.
    if (TIMEOUT_CODES.contains(code)) {
      return RetrySafety.MAYBE;
    }

    // The code adds nothing to the status.
    return facts().isRetrySafe();
  }

  @Override
  public boolean isThrottle() {
    return THROTTLE_CODES.contains(code) || facts().isThrottle();
  }

  @Override
  public boolean isTimeout() {
    return TIMEOUT_CODES.contains(code) || facts().isTimeout();
  }

  /** Returns the facts of the status, anew each time: they are not serializable, exceptions are. */
  private HttpFailure facts() {
    return HttpFailure.status(httpStatus(), retryAfter());
  }

  private static String message(int status, String code) {
    String answer = "HTTP " + HttpFailure.status(status, null).describe();
    return code.isEmpty() ? answer : answer + ", code " + code;
  }

  private static String printable(String reportedCode) {
    // Cut first: the rest may be megabytes.
    String start = reportedCode.substring(0, Math.min(reportedCode.length(), MAX_CODE_LENGTH));
    return start.replaceAll("[^A-Za-z0-9._-]", "");
  }
}
