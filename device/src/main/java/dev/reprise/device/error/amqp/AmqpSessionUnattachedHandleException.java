package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** A frame named a link that is not attached. */
public final class AmqpSessionUnattachedHandleException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpSessionUnattachedHandleException(ErrorDetails details) {
    super(details);
  }
}
