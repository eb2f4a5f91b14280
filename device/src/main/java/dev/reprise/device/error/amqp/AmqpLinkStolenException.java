package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** Another connection has attached the link of this name. */
public final class AmqpLinkStolenException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpLinkStolenException(ErrorDetails details) {
    super(details);
  }
}
