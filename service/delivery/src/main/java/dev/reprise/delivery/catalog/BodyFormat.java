package dev.reprise.delivery.catalog;

import dev.reprise.delivery.Protocol;

/** The form in which an endpoint is sent a message. */
public enum BodyFormat {
  /** A JSON object with the message's id, topic, time, attributes and body. */
  ENVELOPE("envelope"),
  /** The body as it was published, with its own content type. */
  RAW("raw"),
  /** The body as it was published, and what a CloudEvent says of it in headers (binary mode). */
  CLOUDEVENTS("cloudevents"),
  /** A CloudEvent as one JSON object (structured mode). */
  CLOUDEVENTS_STRUCTURED("cloudevents-structured");

  private final String wireName;

  BodyFormat(String wireName) {
    this.wireName = wireName;
  }

  /** Returns the form that endpoints of a protocol get that ask for none. */
  public static BodyFormat defaultOf(Protocol protocol) {
    return protocol == Protocol.FUNCTION ? CLOUDEVENTS_STRUCTURED : ENVELOPE;
  }

  /** The name in documents, such as {@code envelope}. */
  public String wireName() {
    return wireName;
  }
}
