package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server asks to attach the link at another one. */
public final class AmqpLinkRedirectException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpLinkRedirectException(ErrorDetails details) {
    super(details);
  }
}
