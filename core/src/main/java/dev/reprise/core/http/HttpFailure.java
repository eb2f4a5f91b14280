package dev.reprise.core.http;

import dev.reprise.core.ErrorFault;
import dev.reprise.core.ErrorInfo;
import dev.reprise.core.InvalidSettingException;
import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The failure of an HTTP request, as facts for a retry decision. It is a value, not an exception: a
 * failure of a delivery is an expected outcome.
 *
 * <p>It tells what is known, not what to do. A 500 may or may not have taken effect, so it is
 * {@link RetrySafety#MAYBE}; a sender whose messages carry a stable id declares its operation
 * idempotent and retries it. Immutable and thread-safe.
 *
 * @param kind what kind of failure
 * @param status the status code when {@code kind} is {@link Kind#STATUS}, else 0
 * @param retryAfter the wait that the response asked for, or null
 * @param detail what is known beyond kind and status, on one line; may be empty
 * @param neverSent true when nothing of the request can have reached the other side
 */
public record HttpFailure(
    Kind kind, int status, @Nullable Duration retryAfter, String detail, boolean neverSent)
    implements RetryInfo, ErrorInfo {

  /** The kinds of failure. */
  public enum Kind {
    /** A response with a status that is not success. */
    STATUS,

    /** No complete response in time. */
    TIMEOUT,

    /** The connection could not be made, or broke. */
    CONNECTION,

    /** Our own policy forbids the address; nothing was sent. */
    REFUSED
  }

  private static final int REQUEST_TIMEOUT = 408;
  private static final int MISDIRECTED_REQUEST = 421;
  private static final int TOO_EARLY = 425;
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int SERVICE_UNAVAILABLE = 503;
  private static final int GATEWAY_TIMEOUT = 504;

  /**
   * Checks that the parts fit each other.
   *
   * @throws IllegalArgumentException when the status is one of success, or given for a failure that
   *     had no response
   */
  public HttpFailure {
    Objects.requireNonNull(kind, "kind");
    if (kind == Kind.STATUS && isSuccess(status)) {
      throw new InvalidSettingException("status", status, "2xx is not a failure");
    }
    if (kind != Kind.STATUS && (status != 0 || retryAfter != null)) {
      throw new InvalidSettingException(
          "status", status + ", retryAfter is " + retryAfter, kind + " has neither");
    }
    detail = onOneLine(Objects.requireNonNull(detail, "detail"));
  }

  /**
   * Returns the failure of a response. Any number that is not success is accepted, for a broken
   * server may send any.
   *
   * @param code the status code, not 2xx
   * @param retryAfter the value of {@code Retry-After}, or null when absent or unreadable
   * @throws IllegalArgumentException when {@code code} is one of success
   */
  public static HttpFailure status(int code, @Nullable Duration retryAfter) {
    return new HttpFailure(Kind.STATUS, code, retryAfter, "", false);
  }

  /** Returns the failure of a request that was sent and not answered in time. */
  public static HttpFailure timeout() {
    return new HttpFailure(Kind.TIMEOUT, 0, null, "", false);
  }

  /**
   * Returns the failure of a request that was sent and not answered within the limit.
   *
   * @param limit the time that was allowed, for {@link #describe()}
   */
  public static HttpFailure timeout(Duration limit) {
    Objects.requireNonNull(limit, "limit");
    return new HttpFailure(Kind.TIMEOUT, 0, null, "after " + inWords(limit), false);
  }

  /**
   * Returns the failure of a connection.
   *
   * @param detail what happened, such as {@code connection refused}
   * @param neverSent true when nothing of the request can have reached the other side
   */
  public static HttpFailure connectionError(String detail, boolean neverSent) {
    return new HttpFailure(Kind.CONNECTION, 0, null, detail, neverSent);
  }

  /**
   * Returns the failure of a request to an address that our own policy forbids. It is permanent.
   *
   * @param detail what is forbidden and why
   */
  public static HttpFailure refused(String detail) {
    return new HttpFailure(Kind.REFUSED, 0, null, detail, true);
  }

  /** Returns true for 200 to 299, the only codes of success. */
  public static boolean isSuccess(int code) {
    return code >= 200 && code <= 299;
  }

  @Override
  public RetrySafety isRetrySafe() {
    // The address is forbidden, and will be at the next attempt.
    if (kind == Kind.REFUSED) {
      return RetrySafety.NO;
    }

    // A request that was never sent cannot have taken effect.
    if (neverSent) {
      return RetrySafety.YES;
    }

    // The request may have taken effect before the connection or our patience broke.
    if (kind != Kind.STATUS) {
      return RetrySafety.MAYBE;
    }

    // The server says that it turned the request away unprocessed: too many, the wrong connection
    // (RFC 9110, 15.5.20), or sent before the handshake was done (RFC 8470, 5.2).
    if (isThrottle() || status == MISDIRECTED_REQUEST || status == TOO_EARLY) {
      return RetrySafety.YES;
    }

    // The server gave up somewhere between accepting the request and finishing it.
    if (isServerError() || status == REQUEST_TIMEOUT) {
      return RetrySafety.MAYBE;
    }

    // The same request would get the same answer.
    return RetrySafety.NO;
  }

  /** Returns true for 429, and for 503 with a {@code Retry-After}. */
  @Override
  public boolean isThrottle() {
    return status == TOO_MANY_REQUESTS || (status == SERVICE_UNAVAILABLE && retryAfter != null);
  }

  /** Returns true when no answer came in time, and for 408 and 504. */
  @Override
  public boolean isTimeout() {
    return kind == Kind.TIMEOUT || status == REQUEST_TIMEOUT || status == GATEWAY_TIMEOUT;
  }

  @Override
  public ErrorFault fault() {
    if (kind == Kind.REFUSED || (status >= 400 && status <= 499)) {
      return ErrorFault.CLIENT;
    }
    return isServerError() ? ErrorFault.SERVER : ErrorFault.OTHER;
  }

  /**
   * Returns the failure on one line for people, such as {@code 503 Service Unavailable}, {@code
   * timeout after 15 s} or {@code connection refused}.
   */
  public String describe() {
    return switch (kind) {
      case STATUS -> (status + " " + ReasonPhrase.of(status)).strip();
      case TIMEOUT -> ("timeout " + detail).strip();
      case CONNECTION -> detail.isEmpty() ? "connection error" : detail;
      case REFUSED -> detail.isEmpty() ? "address refused" : detail;
    };
  }

  /** Returns {@link #describe()}. */
  @Override
  public String toString() {
    return describe();
  }

  /** Those above 599, which nobody has defined, are to be taken for one (RFC 9110, 15). */
  private boolean isServerError() {
    return status >= 500 && status <= 999;
  }

  private static String inWords(Duration limit) {
    long millis = limit.toMillis();
    return millis % 1000 == 0 ? millis / 1000 + " s" : millis + " ms";
  }

  /** Details come from libraries and from the network, and end in logs and tables. */
  private static String onOneLine(String detail) {
    return detail.replaceAll("[\\p{Cntrl}\\u2028\\u2029]+", " ").strip();
  }
}
