package dev.reprise.webhook;

/** The names of the headers of a signed webhook, in lower case. HTTP ignores the case of names. */
public final class WebhookHeaders {
  /** The id of the message, the same in every attempt to deliver it. */
  public static final String ID = "webhook-id";

  /** The time of the attempt, in whole seconds since 1970. */
  public static final String TIMESTAMP = "webhook-timestamp";

  /** The signatures, divided by spaces, each a version, a comma and text in base64. */
  public static final String SIGNATURE = "webhook-signature";

  private WebhookHeaders() {}
}
