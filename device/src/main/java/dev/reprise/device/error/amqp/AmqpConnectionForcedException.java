package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** An operator of the server, or its shutdown, ended the connection. */
public final class AmqpConnectionForcedException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpConnectionForcedException(ErrorDetails details) {
    super(details);
  }
}
