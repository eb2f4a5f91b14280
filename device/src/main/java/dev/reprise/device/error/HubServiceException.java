package dev.reprise.device.error;

/**
 * The hub answered a request over HTTP, and refused it: mostly one message, which is what an SDK
 * calls a service exception (seed 000). Over MQTT and AMQP a refused message is a {@link
 * ProtocolException} with the scope {@link ErrorScope#OPERATION}; whoever wants the seed's two
 * kinds in every protocol asks {@link #scope}, not the class.
 */
public class HubServiceException extends TransportException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public HubServiceException(ErrorDetails details) {
    super(details);
  }
}
