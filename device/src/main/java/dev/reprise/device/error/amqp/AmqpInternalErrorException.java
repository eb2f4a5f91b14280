package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server failed; some servers say so of a missing permission. */
public final class AmqpInternalErrorException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpInternalErrorException(ErrorDetails details) {
    super(details);
  }
}
