package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server tried and failed to take the message; it may be sent again. */
public final class AmqpModifiedException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpModifiedException(ErrorDetails details) {
    super(details);
  }
}
