package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The hub is suspended; its owner has to do something. */
public final class AmqpHubSuspendedException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public AmqpHubSuspendedException(ErrorDetails details) {
    super(details);
  }
}
