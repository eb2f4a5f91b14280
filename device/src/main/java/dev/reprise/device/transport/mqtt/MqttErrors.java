package dev.reprise.device.transport.mqtt;

import com.hivemq.client.mqtt.datatypes.MqttUtf8String;
import com.hivemq.client.mqtt.exceptions.ConnectionClosedException;
import com.hivemq.client.mqtt.exceptions.ConnectionFailedException;
import com.hivemq.client.mqtt.exceptions.MqttDecodeException;
import com.hivemq.client.mqtt.exceptions.MqttEncodeException;
import com.hivemq.client.mqtt.lifecycle.MqttDisconnectSource;
import com.hivemq.client.mqtt.mqtt3.exceptions.Mqtt3ConnAckException;
import com.hivemq.client.mqtt.mqtt3.exceptions.Mqtt3DisconnectException;
import com.hivemq.client.mqtt.mqtt3.exceptions.Mqtt3SubAckException;
import com.hivemq.client.mqtt.mqtt3.message.connect.connack.Mqtt3ConnAckReturnCode;
import com.hivemq.client.mqtt.mqtt3.message.subscribe.suback.Mqtt3SubAckReturnCode;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5ConnAckException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5DisconnectException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5PubAckException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5SubAckException;
import com.hivemq.client.mqtt.mqtt5.message.Mqtt5ReasonCode;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAck;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAckReasonCode;
import com.hivemq.client.mqtt.mqtt5.message.disconnect.Mqtt5Disconnect;
import com.hivemq.client.mqtt.mqtt5.message.publish.puback.Mqtt5PubAck;
import com.hivemq.client.mqtt.mqtt5.message.subscribe.suback.Mqtt5SubAck;
import dev.reprise.core.http.RetryAfter;
import dev.reprise.device.error.DeviceErrors;
import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ErrorKind;
import dev.reprise.device.error.ErrorRow;
import dev.reprise.device.error.ErrorScope;
import dev.reprise.device.error.NetworkErrors;
import dev.reprise.device.error.TransportException;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.websocketx.WebSocketClientHandshakeException;
import io.netty.handler.codec.http.websocketx.WebSocketHandshakeException;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Translates the failures of the MQTT library into entries of the error table. */
final class MqttErrors {
  private static final String MQTT = "mqtt";
  private static final int MAX_DEPTH = 20;
  private static final int FIRST_ERROR_STATUS = 400;

  private MqttErrors() {}

  /** Returns why an attempt failed or a connection was lost. */
  static TransportException ofLoss(Throwable cause, MqttDisconnectSource source) {
    if (cause instanceof Mqtt5ConnAckException refused) {
      Mqtt5ConnAck answer = refused.getMqttMessage();
      return ofCode(
          "mqtt5-connack",
          answer.getReasonCode(),
          answer.getReasonString(),
          answer.getServerReference(),
          cause);
    }
    if (cause instanceof Mqtt3ConnAckException refused) {
      int code = refused.getMqttMessage().getReturnCode().getCode();
      return exception("mqtt3-connack", Integer.toString(code), null, cause);
    }

    // A DISCONNECT that the library itself sends looks the same, but for its source.
    if (cause instanceof Mqtt5DisconnectException ended && source == MqttDisconnectSource.SERVER) {
      Mqtt5Disconnect farewell = ended.getMqttMessage();
      return ofCode(
          "mqtt5-disconnect",
          farewell.getReasonCode(),
          farewell.getReasonString(),
          farewell.getServerReference(),
          cause);
    }

    WebSocketHandshakeException noWebSocket = causeOf(cause, WebSocketHandshakeException.class);
    if (noWebSocket != null) {
      return ofWebSocket(noWebSocket, cause);
    }

    // A client certificate that is refused is told after the handshake, as a lost connection.
    if (isCausedBy(cause, SSLException.class)) {
      return NetworkErrors.of(cause);
    }

    String message = messageOf(cause);

    // MQTT 3.1.1 has five return codes. The library reads a sixth as a broken packet, and does not
    // say which it was.
    if (cause instanceof Mqtt3DisconnectException && message.contains("wrong return code")) {
      return exception("mqtt3-connack", "255", "a return code that is reserved: 6 to 255", cause);
    }
    if (message.contains("waiting for CONNACK")) {
      return exception(MQTT, "connack-timeout", message, cause);
    }
    if (message.contains("PINGRE")) {
      return exception(MQTT, "keepalive-timeout", message, cause);
    }

    // The library found a mistake in what the server sent, and hung up.
    if (cause instanceof Mqtt5DisconnectException || cause instanceof Mqtt3DisconnectException) {
      return exception(MQTT, "malformed-packet", message, cause);
    }

    if (cause instanceof ConnectionFailedException) {
      return NetworkErrors.of(cause);
    }
    return exception(MQTT, "connection-lost", message, cause);
  }

  private static TransportException ofWebSocket(
      WebSocketHandshakeException failure, Throwable cause) {
    HttpResponse answer =
        failure instanceof WebSocketClientHandshakeException refused ? refused.response() : null;
    // Nothing was answered, or nothing that makes sense.
    if (answer == null) {
      return exception("network", "unreachable", "no WebSocket: " + messageOf(failure), cause);
    }

    ErrorRow http = DeviceErrors.row("http", Integer.toString(answer.status().code()));
    // Only a credential that is refused ends the device. Other answers than a WebSocket come from
    // an intermediary, or from a server that is not set up yet, so a retry may help.
    boolean isTold = http.kind() == ErrorKind.CREDENTIAL || isRetryableStatus(http, answer);
    ErrorRow row = isTold ? http : DeviceErrors.row("network", "unreachable");
    ErrorRow ofConnection =
        new ErrorRow(
            row.protocol(),
            row.code(),
            row.name(),
            row.retryable(),
            row.kind(),
            ErrorScope.CONNECTION);
    return DeviceErrors.exception(
        ErrorDetails.of(ofConnection)
            .withMessage("no WebSocket, the answer is " + answer.status())
            .withCause(cause)
            .withRetryAfter(
                RetryAfter.longest(
                    answer.headers().getAll(HttpHeaderNames.RETRY_AFTER),
                    answer.headers().get(HttpHeaderNames.DATE),
                    Instant.now())));
  }

  private static boolean isRetryableStatus(ErrorRow http, HttpResponse answer) {
    return http.retryable() && answer.status().code() >= FIRST_ERROR_STATUS;
  }

  /**
   * Returns true when the server does not know the version, or may not know it: some answer in
   * their own version, which cannot be read.
   */
  static boolean isVersionUnknown(Throwable cause) {
    return isVersionRefused(cause)
        || (cause instanceof Mqtt5DisconnectException
            && isCausedBy(cause, MqttDecodeException.class));
  }

  /**
   * Returns true when the server said that it does not know the version, be it as 3.1.1 says it.
   */
  static boolean isVersionRefused(Throwable cause) {
    if (cause instanceof Mqtt3ConnAckException refused) {
      return refused.getMqttMessage().getReturnCode()
          == Mqtt3ConnAckReturnCode.UNSUPPORTED_PROTOCOL_VERSION;
    }
    return cause instanceof Mqtt5ConnAckException refused
        && refused.getMqttMessage().getReasonCode()
            == Mqtt5ConnAckReasonCode.UNSUPPORTED_PROTOCOL_VERSION;
  }

  /** Returns true when there was a connection, and the other side ended it without a word. */
  static boolean isHangUp(Throwable cause) {
    return cause instanceof ConnectionClosedException;
  }

  /**
   * Returns why a message was not accepted, or null when it is not known whether it was: then the
   * connection is going down, which is told elsewhere.
   */
  static @Nullable TransportException ofPublish(Throwable cause) {
    if (cause instanceof Mqtt5PubAckException refused) {
      Mqtt5PubAck answer = refused.getMqttMessage();
      return ofCode(
          "mqtt5-puback",
          answer.getReasonCode(),
          answer.getReasonString(),
          Optional.empty(),
          cause);
    }
    if (cause instanceof MqttEncodeException) {
      return exception(MQTT, "packet-too-large", messageOf(cause), cause);
    }
    return null;
  }

  /** Returns why a message cannot be sent to any server. */
  static TransportException ofUnsendable(RuntimeException cause) {
    return exception(MQTT, "invalid-message", messageOf(cause), cause);
  }

  /** Returns why commands were refused, or null when the connection is going down. */
  static @Nullable TransportException ofSubscribe(Throwable cause) {
    if (cause instanceof Mqtt5SubAckException refused) {
      Mqtt5SubAck answer = refused.getMqttMessage();
      return answer.getReasonCodes().stream()
          .filter(Mqtt5ReasonCode::isError)
          .findFirst()
          .map(
              code ->
                  ofCode("mqtt5-suback", code, answer.getReasonString(), Optional.empty(), cause))
          .orElseGet(() -> exception(MQTT, "malformed-packet", messageOf(cause), cause));
    }
    if (cause instanceof Mqtt3SubAckException refused) {
      return refused.getMqttMessage().getReturnCodes().contains(Mqtt3SubAckReturnCode.FAILURE)
          ? exception("mqtt3-suback", "128", null, cause)
          : exception(MQTT, "malformed-packet", messageOf(cause), cause);
    }
    return null;
  }

  /** Returns why a server that takes QoS 0 only is of no use. */
  static TransportException qosNotSupported() {
    return DeviceErrors.exception(
        ErrorDetails.of(DeviceErrors.row("mqtt5-connack", "0x9B"))
            .withMessage(
                "the server's Maximum QoS is 0: must be at least 1, for messages are sent with QoS"
                    + " 1"));
  }

  /** Returns why commands cannot be asked for. */
  static TransportException noCommandTopics() {
    return DeviceErrors.exception(
        ErrorDetails.of(DeviceErrors.row("client", "settings"))
            .withMessage("commands are not set: must be to receive commands"));
  }

  private static TransportException ofCode(
      String protocol,
      Mqtt5ReasonCode code,
      Optional<MqttUtf8String> reason,
      Optional<MqttUtf8String> servers,
      Throwable cause) {
    return DeviceErrors.exception(
        details(protocol, hex(code.getCode()), reason.map(Object::toString).orElse(null), cause)
            .withServerReference(servers.map(MqttErrors::first).orElse(null)));
  }

  /** The servers are separated by spaces (MQTT 5, 4.11). */
  private static @Nullable String first(MqttUtf8String servers) {
    String first = servers.toString().trim().split(" ", 2)[0];
    return first.isEmpty() ? null : first;
  }

  private static TransportException exception(
      String protocol, String code, @Nullable String message, Throwable cause) {
    return DeviceErrors.exception(details(protocol, code, message, cause));
  }

  private static ErrorDetails details(
      String protocol, String code, @Nullable String message, Throwable cause) {
    ErrorDetails details = ErrorDetails.of(DeviceErrors.row(protocol, code)).withCause(cause);
    return message == null ? details : details.withMessage(message);
  }

  private static String hex(int code) {
    return "0x" + String.format(Locale.ROOT, "%02X", code);
  }

  private static String messageOf(Throwable cause) {
    String message = cause.getMessage();
    return message == null ? cause.getClass().getSimpleName() : message;
  }

  private static boolean isCausedBy(Throwable failure, Class<? extends Throwable> type) {
    return causeOf(failure, type) != null;
  }

  private static <T extends Throwable> @Nullable T causeOf(Throwable failure, Class<T> type) {
    Throwable link = failure;
    for (int depth = 0; link != null && depth < MAX_DEPTH; depth++) {
      if (type.isInstance(link)) {
        return type.cast(link);
      }
      link = link.getCause();
    }
    return null;
  }
}
