package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** More messages were sent than the server gave credit for. */
public final class AmqpLinkTransferLimitExceededException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpLinkTransferLimitExceededException(ErrorDetails details) {
    super(details);
  }
}
