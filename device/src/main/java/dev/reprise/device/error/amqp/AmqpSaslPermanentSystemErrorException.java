package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server could not check the credential, and will not be able to without help. */
public final class AmqpSaslPermanentSystemErrorException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpSaslPermanentSystemErrorException(ErrorDetails details) {
    super(details);
  }
}
