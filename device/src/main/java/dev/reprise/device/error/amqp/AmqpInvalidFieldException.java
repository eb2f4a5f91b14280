package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** A field had a value that the server does not accept. */
public final class AmqpInvalidFieldException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpInvalidFieldException(ErrorDetails details) {
    super(details);
  }
}
