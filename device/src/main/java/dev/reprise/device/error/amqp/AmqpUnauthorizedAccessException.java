package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The device may not use this address with its credential. */
public final class AmqpUnauthorizedAccessException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpUnauthorizedAccessException(ErrorDetails details) {
    super(details);
  }
}
