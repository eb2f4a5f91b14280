package dev.reprise.delivery.carrier;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * The content of an attempt through a carrier, in the form that the protocol takes.
 *
 * @param contentType the media type of the body
 * @param body the bytes; of SMS and email, UTF-8 text. Shared, never changed
 * @param subject the subject of an email; empty for none
 * @param html the HTML part of an email; empty for none
 */
public record CarrierContent(String contentType, byte[] body, String subject, String html) {
  /** Content of a body alone. */
  public CarrierContent(String contentType, byte[] body) {
    this(contentType, body, "", "");
  }

  /** Returns the body as text. */
  public String text() {
    return new String(body, UTF_8);
  }
}
