package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** An allowance at the server is used up. */
public final class AmqpResourceLimitExceededException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpResourceLimitExceededException(ErrorDetails details) {
    super(details);
  }
}
