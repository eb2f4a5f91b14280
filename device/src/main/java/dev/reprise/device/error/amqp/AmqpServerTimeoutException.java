package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server did not finish in time what was asked of it. */
public final class AmqpServerTimeoutException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpServerTimeoutException(ErrorDetails details) {
    super(details);
  }
}
