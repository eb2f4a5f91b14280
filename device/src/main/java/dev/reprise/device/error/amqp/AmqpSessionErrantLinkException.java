package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** Frames arrived for a link that was already ended. */
public final class AmqpSessionErrantLinkException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpSessionErrantLinkException(ErrorDetails details) {
    super(details);
  }
}
