package dev.reprise.device.transport.http;

import dev.reprise.core.http.HttpFailure;
import dev.reprise.core.http.RetryAfter;
import dev.reprise.device.error.DeviceErrors;
import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.TransportException;
import io.netty.handler.codec.http.HttpHeaders;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Says in the words of the error table how a request failed. */
final class HttpErrors {
  private static final int FORBIDDEN = 403;

  private HttpErrors() {}

  static TransportException ofStatus(HttpAnswer answer, HttpSettings settings) {
    int status = answer.status();
    boolean isForbidden = status == FORBIDDEN && !settings.forbiddenMeansQuota();
    String code = isForbidden ? "forbidden" : Integer.toString(status);
    HttpHeaders headers = answer.headers();
    Duration retryAfter =
        RetryAfter.longest(headers.getAll("Retry-After"), headers.get("Date"), Instant.now());
    String described = HttpFailure.status(status, retryAfter).describe();
    String said = status / 100 == 3 ? target(answer) : answer.said();
    return DeviceErrors.exception(
        ErrorDetails.of(DeviceErrors.row("http", code))
            .withMessage(said.isEmpty() ? described : described + ", " + said)
            .withRetryAfter(retryAfter));
  }

  /** Only the host: the rest of a target may hold credentials. */
  private static String target(HttpAnswer answer) {
    String host = host(answer.asked(), answer.headers().get("Location"));
    return "to " + (host == null ? "an unknown host" : host) + ": redirects are not followed";
  }

  private static @Nullable String host(URI from, @Nullable String location) {
    try {
      return location == null ? null : from.resolve(location).getHost();
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  static TransportException noConnection(Duration limit) {
    return DeviceErrors.exception(
        ErrorDetails.of(DeviceErrors.row("network", "connect-timeout"))
            .withMessage("no connection within " + limit));
  }

  static TransportException noAnswer(Duration requestTimeout) {
    return DeviceErrors.exception(
        ErrorDetails.of(DeviceErrors.row("network", "read-timeout"))
            .withMessage("no answer within " + requestTimeout));
  }

  static TransportException notSayable(RuntimeException e) {
    return DeviceErrors.exception(
        ErrorDetails.of(DeviceErrors.row("client", "invalid-message"))
            .withMessage("the message cannot be sent over HTTP: " + e.getMessage())
            .withCause(e));
  }

  /** Tells nothing of what failed: the words of the JDK hold the secret. */
  static TransportException credentialNotSayable() {
    return DeviceErrors.exception(
        ErrorDetails.of(DeviceErrors.row("client", "settings"))
            .withMessage("the credential cannot be said in a header: must be visible ASCII"));
  }

  static TransportException noCommands() {
    return DeviceErrors.exception(
        ErrorDetails.of(DeviceErrors.row("client", "settings"))
            .withMessage("commands cannot be received over HTTP: must be MQTT or AMQP"));
  }
}
