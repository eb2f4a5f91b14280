package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** An operator of the server ended the link, or it was idle for too long. */
public final class AmqpLinkDetachForcedException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpLinkDetachForcedException(ErrorDetails details) {
    super(details);
  }
}
