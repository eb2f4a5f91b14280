package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The device sent a frame that the state of the connection does not allow. */
public final class AmqpIllegalStateException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpIllegalStateException(ErrorDetails details) {
    super(details);
  }
}
