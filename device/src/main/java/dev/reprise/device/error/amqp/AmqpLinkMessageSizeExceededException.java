package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The message is larger than the link allows. */
public final class AmqpLinkMessageSizeExceededException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpLinkMessageSizeExceededException(ErrorDetails details) {
    super(details);
  }
}
