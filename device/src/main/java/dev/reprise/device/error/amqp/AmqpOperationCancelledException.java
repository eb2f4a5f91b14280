package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server gave up what was asked of it. */
public final class AmqpOperationCancelledException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpOperationCancelledException(ErrorDetails details) {
    super(details);
  }
}
