package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** More frames were sent than the session allowed. */
public final class AmqpSessionWindowViolationException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpSessionWindowViolationException(ErrorDetails details) {
    super(details);
  }
}
