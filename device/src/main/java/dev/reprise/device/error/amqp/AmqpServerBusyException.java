package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server is asked too much for now. */
public final class AmqpServerBusyException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpServerBusyException(ErrorDetails details) {
    super(details);
  }
}
