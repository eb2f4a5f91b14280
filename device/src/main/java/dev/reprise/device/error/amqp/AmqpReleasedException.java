package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server gave the message back unhandled; it may be sent again. */
public final class AmqpReleasedException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpReleasedException(ErrorDetails details) {
    super(details);
  }
}
