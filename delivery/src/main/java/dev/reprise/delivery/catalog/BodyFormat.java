package dev.reprise.delivery.catalog;

/** The form in which an endpoint is sent a message. */
public enum BodyFormat {
  /** A JSON object with the message's id, topic, time, attributes and body. */
  ENVELOPE("envelope"),
  /** The body as it was published, with its own content type. */
  RAW("raw");

  private final String wireName;

  BodyFormat(String wireName) {
    this.wireName = wireName;
  }

  /** The name in documents: {@code envelope} or {@code raw}. */
  public String wireName() {
    return wireName;
  }
}
