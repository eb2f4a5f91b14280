package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The address, or the device, does not exist. */
public final class AmqpNotFoundException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpNotFoundException(ErrorDetails details) {
    super(details);
  }
}
