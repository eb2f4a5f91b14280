package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server ended the connection, the session or the link, and does not tell why. */
public final class AmqpNoConditionException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpNoConditionException(ErrorDetails details) {
    super(details);
  }
}
