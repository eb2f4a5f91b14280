package dev.reprise.delivery.http;

import org.jspecify.annotations.Nullable;

/** What came of one HTTP attempt. Every failure is data; the sender throws nothing. */
public sealed interface HttpOutcome {
  /** How long the attempt took, in nanoseconds. */
  long latencyNanos();

  /** The address and port that the attempt went to; null if it did not get that far. */
  @Nullable String address();

  /**
   * The endpoint answered, with any status. Redirects are not followed.
   *
   * @param status the final status, 200 to 999
   * @param retryAfter the Retry-After header as it came; null without one
   * @param date the Date header as it came; null without one
   * @param bodyExcerpt the first bytes of the body, at most {@link HttpSender#MAX_EXCERPT_BYTES}
   */
  @SuppressWarnings("ArrayRecordComponent")
  record Response(
      int status,
      @Nullable String retryAfter,
      @Nullable String date,
      byte[] bodyExcerpt,
      String address,
      long latencyNanos)
      implements HttpOutcome {}

  /**
   * The attempt's timeout passed before the response was complete.
   *
   * @param detail for people: what the attempt was waiting for
   * @param neverSent whether no byte of the request can have reached the endpoint
   */
  record TimedOut(String detail, boolean neverSent, @Nullable String address, long latencyNanos)
      implements HttpOutcome {}

  /**
   * No complete response, for another reason: name unknown, connection refused, TLS failure,
   * connection closed, an answer that is not HTTP.
   *
   * @param detail for people: what happened, and where
   * @param neverSent whether no byte of the request can have reached the endpoint
   */
  record ConnectionFailed(
      String detail, boolean neverSent, @Nullable String address, long latencyNanos)
      implements HttpOutcome {}

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
