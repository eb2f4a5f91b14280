package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The hub is making or ending a link of the same name. */
public final class AmqpLinkCreationConflictException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpLinkCreationConflictException(ErrorDetails details) {
    super(details);
  }
}
