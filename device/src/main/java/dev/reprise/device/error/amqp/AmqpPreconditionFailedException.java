package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** A condition that the device named does not hold. */
public final class AmqpPreconditionFailedException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpPreconditionFailedException(ErrorDetails details) {
    super(details);
  }
}
