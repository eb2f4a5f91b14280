package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** Nothing came from the server for too long. */
public final class AmqpIdleTimeoutException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpIdleTimeoutException(ErrorDetails details) {
    super(details);
  }
}
