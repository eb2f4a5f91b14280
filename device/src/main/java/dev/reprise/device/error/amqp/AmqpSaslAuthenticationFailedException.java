package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server did not accept the credential. */
public final class AmqpSaslAuthenticationFailedException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpSaslAuthenticationFailedException(ErrorDetails details) {
    super(details);
  }
}
