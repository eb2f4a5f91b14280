package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server could not make out the frames of the connection. */
public final class AmqpConnectionFramingErrorException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpConnectionFramingErrorException(ErrorDetails details) {
    super(details);
  }
}
