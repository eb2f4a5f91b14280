package dev.reprise.device.error;

/**
 * Thrown when an MQTT or AMQP peer refuses something or sends something that makes no sense. Most
 * of these errors concern the connection, as those of the protocol exception of the Azure IoT
 * device SDK do. Both protocols also refuse single messages in codes of their own; such an error is
 * of this class too, with the scope {@link ErrorScope#OPERATION}. Failures of sockets, host names
 * and TLS below the protocol are neither of this class nor {@link HubServiceException}.
 */
public class ProtocolException extends TransportException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public ProtocolException(ErrorDetails details) {
    super(details);
  }
}
