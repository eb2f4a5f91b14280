package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The frames that one side allows are too small for what was to be sent. */
public final class AmqpFrameSizeTooSmallException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpFrameSizeTooSmallException(ErrorDetails details) {
    super(details);
  }
}
