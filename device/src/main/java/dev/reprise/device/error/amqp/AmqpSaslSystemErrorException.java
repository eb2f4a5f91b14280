package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server could not check the credential. */
public final class AmqpSaslSystemErrorException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpSaslSystemErrorException(ErrorDetails details) {
    super(details);
  }
}
