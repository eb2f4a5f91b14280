package dev.reprise.device.transport.amqp;

import dev.reprise.device.error.DeviceErrors;
import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ErrorRow;
import dev.reprise.device.error.ErrorScope;
import dev.reprise.device.error.NetworkErrors;
import dev.reprise.device.error.TransportException;
import java.util.Map;
import org.apache.qpid.protonj2.engine.exceptions.IdleTimeoutException;
import org.apache.qpid.protonj2.types.messaging.Modified;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.jspecify.annotations.Nullable;

/** Translates what AMQP peers and the engine say into the words of the error table. */
final class AmqpErrors {
  private static final String PROTOCOL = "amqp";

  private AmqpErrors() {}

  /** Returns what the other side said when it ended something: {@code what} it ended. */
  static TransportException ended(String what, @Nullable ErrorCondition condition) {
    return DeviceErrors.exception(
        details(
            DeviceErrors.row(PROTOCOL, code(condition)), what + " ended by the peer", condition));
  }

  /** Returns why a message was not accepted, or null when the state says nothing final. */
  static @Nullable TransportException refused(DeliveryState state) {
    return switch (state.getType()) {
      case Rejected -> {
        ErrorCondition condition = ((Rejected) state).getError();
        String code = condition == null ? "rejected" : code(condition);
        yield ofMessage(code, "the peer rejected the message", condition);
      }
      case Released -> ofMessage("released", "the peer gave the message back", null);
      case Modified -> {
        String code = ((Modified) state).isUndeliverableHere() ? "undeliverable-here" : "modified";
        yield ofMessage(code, "the peer gave the message back", null);
      }
      default -> null;
    };
  }

  /** Returns the failure of one message; whatever its code, the connection stays up. */
  static TransportException ofMessage(
      String code, String message, @Nullable ErrorCondition condition) {
    ErrorRow row = DeviceErrors.row(PROTOCOL, code);
    ErrorRow operation =
        new ErrorRow(
            row.protocol(),
            row.code(),
            row.name(),
            row.retryable(),
            row.kind(),
            ErrorScope.OPERATION);
    return DeviceErrors.exception(details(operation, message, condition));
  }

  /** Returns why a message cannot be sent to any peer. */
  static TransportException notSayable(RuntimeException cause) {
    return DeviceErrors.exception(
        ErrorDetails.of(DeviceErrors.row("client", "invalid-message"))
            .withMessage("the message cannot be sent over AMQP: " + cause.getMessage())
            .withCause(cause));
  }

  /** Returns why the engine cannot go on. */
  static TransportException engineFailed(Throwable cause) {
    if (cause instanceof IdleTimeoutException) {
      return of("idle-timeout", "nothing was heard from the peer", cause);
    }
    // It fails in many ways at what a peer made up, too deep a list among them; nothing else is its
    // own fault.
    boolean isOfPeer = cause instanceof RuntimeException || cause instanceof StackOverflowError;
    return isOfPeer ? unreadable(cause) : NetworkErrors.of(cause);
  }

  /** Returns the failure to read input of the peer. */
  static TransportException unreadable(Throwable cause) {
    String message = cause.getMessage();
    return of("malformed-frame", message == null ? cause.toString() : message, cause);
  }

  /** Returns what keeps an attempt waiting whose link is attached and has no credit. */
  static TransportException noCredit() {
    return DeviceErrors.exception(
        ErrorDetails.of(DeviceErrors.row(PROTOCOL, "no-credit"))
            .withMessage("connected, but the server gives no leave to send"));
  }

  /** Returns a mistake in the settings. */
  static TransportException settings(String message, @Nullable Throwable cause) {
    ErrorDetails details =
        ErrorDetails.of(DeviceErrors.row("client", "settings")).withMessage(message);
    return DeviceErrors.exception(cause == null ? details : details.withCause(cause));
  }

  private static TransportException of(String code, String message, Throwable cause) {
    return DeviceErrors.exception(
        ErrorDetails.of(DeviceErrors.row(PROTOCOL, code)).withMessage(message).withCause(cause));
  }

  private static String code(@Nullable ErrorCondition condition) {
    return condition == null || condition.getCondition() == null
        ? "no-condition"
        : condition.getCondition().toString();
  }

  private static ErrorDetails details(
      ErrorRow row, String message, @Nullable ErrorCondition condition) {
    ErrorDetails details = ErrorDetails.of(row);
    if (condition == null) {
      return details.withMessage(message);
    }
    String description = condition.getDescription();
    String said = description == null ? "" : ": " + description;
    return details
        .withMessage(message + ", " + code(condition) + said)
        .withServerReference(server(condition));
  }

  /** Redirects name the server so: AMQP 1.0 part 2, sections 2.8.16 and 2.8.17. */
  private static @Nullable String server(ErrorCondition condition) {
    // Peers have been seen to send texts where symbols belong, so nothing is said of the types.
    Map<?, ?> info = condition.getInfo();
    String host = value(info, "network-host");
    if (host == null) {
      return null;
    }
    String port = value(info, "port");
    String name = host.indexOf(':') >= 0 && !host.startsWith("[") ? "[" + host + "]" : host;
    return port == null ? name : name + ":" + port;
  }

  private static @Nullable String value(@Nullable Map<?, ?> info, String key) {
    if (info == null) {
      return null;
    }
    for (Map.Entry<?, ?> entry : info.entrySet()) {
      if (key.equals(String.valueOf(entry.getKey())) && entry.getValue() != null) {
        return entry.getValue().toString();
      }
    }
    return null;
  }
}
