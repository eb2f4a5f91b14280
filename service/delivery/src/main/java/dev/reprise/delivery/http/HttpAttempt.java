package dev.reprise.delivery.http;

import dev.reprise.delivery.address.EndpointUrl;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * One request to make, usually a POST.
 *
 * @param url where to
 * @param headers names and values, beside those that the sender sets itself (Host, Content-Type,
 *     Content-Length, Connection); a value with a line break is refused, not sent
 * @param body the request's body; not copied, so it must not change
 * @param contentType the media type of the body; not sent where {@link HttpOptions#method} says so
 * @param timeout for name look-up, connecting, TLS, sending, and waiting for the head of the
 *     response; at least 1 ms. An attempt that finds no connection free waits as long for one
 *     before that, and its time begins anew when its connection is being made
 * @param options what few attempts ask for
 * @param mayBegin asked on an event loop right before the first byte is sent; {@link
 *     HttpOutcome.NotStarted} if it says no
 */
public record HttpAttempt(
    EndpointUrl url,
    List<Map.Entry<String, String>> headers,
    byte[] body,
    String contentType,
    Duration timeout,
    HttpOptions options,
    BooleanSupplier mayBegin) {

  /** Checks the timeout. */
  public HttpAttempt {
    if (timeout.toMillis() < 1) {
      throw new IllegalArgumentException("timeout " + timeout + " must be at least 1 ms");
    }
  }

  /** An attempt that may begin at any time. */
  public HttpAttempt(
      EndpointUrl url,
      List<Map.Entry<String, String>> headers,
      byte[] body,
      String contentType,
      Duration timeout,
      HttpOptions options) {
    this(url, headers, body, contentType, timeout, options, () -> true);
  }
}
