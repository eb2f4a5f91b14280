package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The hub does not accept an argument of the request. */
public final class AmqpArgumentErrorException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpArgumentErrorException(ErrorDetails details) {
    super(details);
  }
}
