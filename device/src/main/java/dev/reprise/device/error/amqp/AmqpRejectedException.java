package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server refused the message for good, and does not tell why. */
public final class AmqpRejectedException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpRejectedException(ErrorDetails details) {
    super(details);
  }
}
