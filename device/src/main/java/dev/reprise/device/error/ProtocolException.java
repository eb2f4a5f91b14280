package dev.reprise.device.error;

/**
 * An MQTT or AMQP peer said no, or what it said makes no sense. That mostly concerns the
 * connection, which is what an SDK calls a protocol exception (seed 000); but these protocols
 * refuse single messages in codes of their own, too, and such a refusal is of this class as well.
 * {@link #scope} tells the two apart: a message is refused with {@link ErrorScope#OPERATION}.
 * Failures of sockets, names and TLS below the protocol are neither of this class nor {@link
 * HubServiceException}.
 */
public class ProtocolException extends TransportException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public ProtocolException(ErrorDetails details) {
    super(details);
  }
}
