package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** A link was to be attached with a number that another one has. */
public final class AmqpSessionHandleInUseException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpSessionHandleInUseException(ErrorDetails details) {
    super(details);
  }
}
