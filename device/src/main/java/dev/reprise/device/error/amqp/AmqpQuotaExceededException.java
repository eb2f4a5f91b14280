package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** An allowance at the hub is used up, such as the messages of a day. */
public final class AmqpQuotaExceededException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpQuotaExceededException(ErrorDetails details) {
    super(details);
  }
}
