package dev.reprise.device.error;

/**
 * Thrown when a hub refuses a request over HTTP, in most cases one message, as the service
 * exception of the Azure IoT device SDK says. Over MQTT and AMQP a refused message is a {@link
 * ProtocolException} with the scope {@link ErrorScope#OPERATION}. To tell refused messages from
 * lost connections in every protocol, ask {@link #scope} and not the class.
 */
public class HubServiceException extends TransportException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public HubServiceException(ErrorDetails details) {
    super(details);
  }
}
