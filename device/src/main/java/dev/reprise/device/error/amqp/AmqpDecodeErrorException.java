package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server could not decode what the device sent. */
public final class AmqpDecodeErrorException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpDecodeErrorException(ErrorDetails details) {
    super(details);
  }
}
