package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** What arrived is no AMQP: something between the device and the server may have answered. */
public final class AmqpUnreadableFrameException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpUnreadableFrameException(ErrorDetails details) {
    super(details);
  }
}
