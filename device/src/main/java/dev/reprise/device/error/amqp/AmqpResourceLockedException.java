package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** Somebody else has locked what the device asked for. */
public final class AmqpResourceLockedException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpResourceLockedException(ErrorDetails details) {
    super(details);
  }
}
