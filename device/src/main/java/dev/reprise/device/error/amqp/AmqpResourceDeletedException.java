package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** What the device was working with has been deleted. */
public final class AmqpResourceDeletedException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpResourceDeletedException(ErrorDetails details) {
    super(details);
  }
}
