package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server will not take this message on this link. */
public final class AmqpUndeliverableHereException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpUndeliverableHereException(ErrorDetails details) {
    super(details);
  }
}
