package dev.reprise.delivery.http;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The outcome of one HTTP attempt. Every failure is data; the sender throws nothing. */
public sealed interface HttpOutcome {
  /**
   * Returns the duration of the attempt, in nanoseconds, from its name look-up, or from the making
   * of its connection if it had to wait for one to be free.
   */
  long latencyNanos();

  /** The address and port that the attempt went to; null if it did not get that far. */
  @Nullable String address();

  /**
   * The endpoint answered, with any status. Redirects are not followed. The head of the response
   * decides: a body that breaks off, hangs or is malformed changes nothing. Then {@code
   * latencyNanos} counts until the head, otherwise until the end of what was waited for.
   *
   * @param status the final status, 200 to 999
   * @param retryAfter all Retry-After headers as they came
   * @param date the Date header as it came; null without one
   * @param headers the headers that {@link HttpOptions#wanted} names, as far as there are any: the
   *     name in lower case, the first value
   * @param bodyExcerpt the first bytes of the body, as far as they came soon; at most {@link
   *     HttpOptions#excerptBytes}
   * @param note for people: that the rest of the head was not read, or that the request was sent
   *     again after its connection had been lost; null for nothing of that kind
   */
  @SuppressWarnings("ArrayRecordComponent")
  record Response(
      int status,
      List<String> retryAfter,
      @Nullable String date,
      Map<String, String> headers,
      byte[] bodyExcerpt,
      String address,
      long latencyNanos,
      @Nullable String note)
      implements HttpOutcome {
    /** A response like most. */
    public Response(
        int status,
        List<String> retryAfter,
        @Nullable String date,
        Map<String, String> headers,
        byte[] bodyExcerpt,
        String address,
        long latencyNanos) {
      this(status, retryAfter, date, headers, bodyExcerpt, address, latencyNanos, null);
    }
  }

  /**
   * The attempt's timeout passed before the head of the response had come.
   *
   * @param detail for people: what the attempt was waiting for
   * @param neverSent whether no byte of the request can have reached the endpoint
   */
  record TimedOut(String detail, boolean neverSent, @Nullable String address, long latencyNanos)
      implements HttpOutcome {}

  /**
   * No response, for another reason: name unknown, connection refused, TLS failure, connection
   * closed, an answer that is not HTTP.
   *
   * @param detail for people: what happened, and where
   * @param neverSent whether no byte of the request can have reached the endpoint
   */
  record ConnectionFailed(
      String detail, boolean neverSent, @Nullable String address, long latencyNanos)
      implements HttpOutcome {}

  /**
   * The forward proxy could not be used, or refused the tunnel by itself: nothing was sent to the
   * endpoint, which is not at fault.
   *
   * @param detail for people: what the proxy said, or what happened on the way to it
   * @param explained whether it is the proxy for sure; otherwise the proxy does not say why it
   *     makes no tunnel, and the endpoint may have brought it about
   */
  record ProxyFailed(String detail, boolean explained, long latencyNanos) implements HttpOutcome {
    @Override
    public @Nullable String address() {
      return null;
    }
  }

  /**
   * The attempt was not begun: no connection was free, because this process has as many as it may,
   * or {@link HttpAttempt#mayBegin} said no. The endpoint is not at fault.
   *
   * @param detail for people: the reason
   */
  record NotStarted(String detail) implements HttpOutcome {
    @Override
    public long latencyNanos() {
      return 0;
    }

    @Override
    public @Nullable String address() {
      return null;
    }
  }

  /**
   * The attempt was not made because it must not be: an address that is not allowed, or a header
   * that would break the request apart. Repeating it changes nothing by itself.
   *
   * @param detail for people: the value and the rule
   */
  record Refused(String detail, long latencyNanos) implements HttpOutcome {
    @Override
    public @Nullable String address() {
      return null;
    }
  }
}
