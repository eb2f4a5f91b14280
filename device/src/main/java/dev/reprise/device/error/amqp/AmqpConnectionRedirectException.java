package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server asks to connect to another one. */
public final class AmqpConnectionRedirectException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpConnectionRedirectException(ErrorDetails details) {
    super(details);
  }
}
