package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server could not check the credential for now. */
public final class AmqpSaslTemporarySystemErrorException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpSaslTemporarySystemErrorException(ErrorDetails details) {
    super(details);
  }
}
