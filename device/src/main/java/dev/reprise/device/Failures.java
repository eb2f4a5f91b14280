package dev.reprise.device;

import dev.reprise.device.error.DeviceErrors;
import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ErrorKind;
import dev.reprise.device.error.TransportException;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Makes the errors that the client finds itself, and translates those that it is told. */
final class Failures {
  private static final Set<String> MISSING_ADDRESS =
      Set.of(
          "http 404",
          "amqp amqp:not-found",
          "amqp amqp:resource-deleted",
          "amqp com.microsoft:iot-hub-not-found-error");

  private Failures() {}

  /** The supplier of credentials failed, or supplied nothing. */
  static TransportException noCredential(@Nullable Throwable thrown) {
    ErrorDetails details = details("credential", "unavailable", "no credential was supplied");
    return DeviceErrors.exception(
        thrown == null
            ? details
            : details.withMessage("no credential was supplied: " + thrown).withCause(thrown));
  }

  /** A transport threw something instead of telling its listener. */
  static TransportException brokenTransport(Throwable thrown) {
    return exception("client", "transport", "the transport failed: " + thrown);
  }

  static TransportException connectTimeout(Duration limit) {
    return exception("network", "connect-timeout", "no connection within " + limit);
  }

  static TransportException ackTimeout(Object message, Duration limit) {
    return exception(
        "network", "read-timeout", "no acknowledgement of " + message + " within " + limit);
  }

  /** The connection is up, but takes no messages. */
  static TransportException stalled(Duration limit) {
    return exception("amqp", "no-credit", "nothing may be sent for " + limit);
  }

  private static TransportException exception(String protocol, String code, String message) {
    return DeviceErrors.exception(details(protocol, code, message));
  }

  private static ErrorDetails details(String protocol, String code, String message) {
    return ErrorDetails.of(DeviceErrors.row(protocol, code)).withMessage(message);
  }

  /** Returns whether the other side rejects the identity of the device. */
  static boolean isRefusedCredential(TransportException failure) {
    return failure.kind() == ErrorKind.CREDENTIAL && !failure.protocol().equals("network");
  }

  /** Returns whether the other side rejects the device's own certificate. */
  static boolean isRefusedCertificate(TransportException failure) {
    return failure.protocol().equals("network")
        && failure.code().equals("tls-handshake-certificate");
  }

  /**
   * Returns whether a failure concerns the device itself, even if its connection had been accepted.
   * MQTT and AMQP refuse a device when it connects: later it is one message or one request that is
   * refused. HTTP knows requests only, and TLS 1.3 may refuse a certificate late.
   */
  static boolean isAboutTheDevice(TransportException failure) {
    return failure.kind() == ErrorKind.CREDENTIAL
        && !failure.protocol().startsWith("mqtt")
        && !failure.protocol().startsWith("amqp");
  }

  /**
   * Returns whether the device refused the message itself, before it was sent: it cannot be
   * written, or is larger than the other side has said to take.
   */
  static boolean isOfTheDevice(TransportException failure) {
    return failure.protocol().equals("client")
        || failure.protocol().equals("mqtt")
        || failure.code().equals("amqp:link:message-size-exceeded");
  }

  /** Returns whether the address that messages are sent to does not exist, or not yet. */
  static boolean isOfMissingAddress(TransportException failure) {
    return MISSING_ADDRESS.contains(failure.protocol() + " " + failure.code());
  }

  /**
   * Returns whether the protocol shows with the first message only whether a device is accepted.
   */
  static boolean isOfRequest(TransportException failure) {
    return failure.protocol().equals("http");
  }

  /** Returns whether it is for others to mend: the certificate or the TLS of the other side. */
  static boolean isOfTheirTls(TransportException failure) {
    return failure.protocol().equals("network")
        && (failure.code().equals("tls-server-certificate")
            || failure.code().equals("tls-handshake"));
  }

  /** Returns whether the other side wants the client to be slower. */
  static boolean isThrottle(TransportException failure) {
    return failure.kind() == ErrorKind.THROTTLE || failure.kind() == ErrorKind.QUOTA;
  }

  static StatusReason reason(TransportException failure) {
    return switch (failure.kind()) {
      case NETWORK -> StatusReason.NETWORK;
      case TIMEOUT -> StatusReason.TIMEOUT;
      case THROTTLE -> StatusReason.THROTTLED;
      case QUOTA -> StatusReason.QUOTA;
      case SERVER -> StatusReason.SERVER;
      case CREDENTIAL -> StatusReason.CREDENTIAL;
      case CLIENT, UNKNOWN -> StatusReason.REFUSED;
    };
  }
}
