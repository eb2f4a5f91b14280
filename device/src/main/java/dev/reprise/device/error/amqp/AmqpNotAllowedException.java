package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server does not allow what the device tried, as it was tried. */
public final class AmqpNotAllowedException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpNotAllowedException(ErrorDetails details) {
    super(details);
  }
}
