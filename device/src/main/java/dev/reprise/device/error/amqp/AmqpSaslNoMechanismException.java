package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The two sides have no way of authentication in common. */
public final class AmqpSaslNoMechanismException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpSaslNoMechanismException(ErrorDetails details) {
    super(details);
  }
}
