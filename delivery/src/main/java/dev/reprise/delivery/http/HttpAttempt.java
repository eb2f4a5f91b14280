package dev.reprise.delivery.http;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * One POST to make.
 *
 * @param url where to
 * @param headers names and values, beside those that the sender sets itself (Host, Content-Type,
 *     Content-Length, Connection); a value with a line break is refused, not sent
 * @param body the request's body; not copied, so it must not change
 * @param contentType the media type of the body
 * @param timeout for the whole attempt, from the call of {@link HttpSender#send} to the end of the
 *     response: name look-up, connecting, TLS, sending, waiting and reading; at least 1 ms
 */
public record HttpAttempt(
    EndpointUrl url,
    List<Map.Entry<String, String>> headers,
    byte[] body,
    String contentType,
    Duration timeout) {

  /** Checks the timeout. */
  public HttpAttempt {
    if (timeout.toMillis() < 1) {
      throw new IllegalArgumentException("timeout " + timeout + " must be at least 1 ms");
    }
  }
}
