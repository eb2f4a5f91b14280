package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server granted no credit for too long: it takes no messages for now. */
public final class AmqpNoCreditException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpNoCreditException(ErrorDetails details) {
    super(details);
  }
}
