package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server says in a condition of its vendor that it limits the device. */
public final class AmqpThrottledException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpThrottledException(ErrorDetails details) {
    super(details);
  }
}
