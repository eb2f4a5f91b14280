package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server does not offer what the device asked for. */
public final class AmqpNotImplementedException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpNotImplementedException(ErrorDetails details) {
    super(details);
  }
}
