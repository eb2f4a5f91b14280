package dev.reprise.device.transport.http;

import dev.reprise.device.message.Message;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Writes a message as the headers and the body of a request. Implementations are thread-safe, have
 * no state, so that the same message gives the same request at every attempt, and do not block: the
 * threads of all connections call them.
 */
@FunctionalInterface
public interface HttpEncoding {
  /** The prefix that {@link #plain} puts before the name of a property. */
  String PROPERTY_PREFIX = "Property-";

  /**
   * The parts of a request that come from its message.
   *
   * @param headers by name; {@code Idempotency-Key} and the authentication are added
   * @param body its bytes, not a copy
   */
  record Content(Map<String, String> headers, byte[] body) {
    /** Copies the headers. */
    public Content {
      headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
    }
  }

  /**
   * Writes a message.
   *
   * @throws IllegalArgumentException when the message cannot be said in this encoding; then it is
   *     rejected
   */
  Content encode(Message message);

  /**
   * Returns the plain encoding: the body as it is, its media type, and each property as a header
   * {@code Property-name}. Characters that headers must not contain are percent-encoded, as is the
   * percent sign.
   */
  static HttpEncoding plain() {
    return message -> {
      Map<String, String> headers = new LinkedHashMap<>();
      String contentType = message.contentType();
      headers.put("Content-Type", contentType == null ? "application/octet-stream" : contentType);
      message
          .properties()
          .forEach(
              (name, value) ->
                  headers.put(
                      PROPERTY_PREFIX + PercentEncoding.token(name),
                      PercentEncoding.visible(value)));
      return new Content(headers, message.body());
    };
  }
}
