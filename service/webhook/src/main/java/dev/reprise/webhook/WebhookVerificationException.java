package dev.reprise.webhook;

import java.util.Objects;

/**
 * Thrown when a request is not the webhook of a sender that knows the secret, or not a recent one.
 * Its message names the header and the rule. Of what the request brought, only a well-formed
 * timestamp is in it, so that it can be logged.
 */
public final class WebhookVerificationException extends Exception {
  private static final long serialVersionUID = 1L;

  /** The reasons to refuse a request. */
  public enum Reason {
    /** One of the three headers is absent. */
    MISSING_HEADER,

    /** The id is empty, or has a full stop, a space or anything but visible ASCII. */
    MALFORMED_ID,

    /** The timestamp is not a whole number of seconds. */
    MALFORMED_TIMESTAMP,

    /** The attempt was made longer ago than the tolerance: it is replayed, or a clock errs. */
    TOO_OLD,

    /** The attempt was made further in the future than the tolerance: a clock errs. */
    TOO_NEW,

    /**
     * No signature belongs to a known key: another secret, or an id, a timestamp or a body that are
     * not those that were signed.
     */
    NO_MATCHING_SIGNATURE
  }

  private final Reason reason;

  WebhookVerificationException(Reason reason, String message) {
    super(message);
    this.reason = Objects.requireNonNull(reason, "reason");
  }

  /** Returns the reason. */
  public Reason reason() {
    return reason;
  }
}
