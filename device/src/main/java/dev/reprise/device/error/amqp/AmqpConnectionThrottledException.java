package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The hub limits the container of the device. */
public final class AmqpConnectionThrottledException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpConnectionThrottledException(ErrorDetails details) {
    super(details);
  }
}
