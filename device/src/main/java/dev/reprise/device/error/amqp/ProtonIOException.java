package dev.reprise.device.error.amqp;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** Reading from or writing to the connection failed. */
public final class ProtonIOException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public ProtonIOException(ErrorDetails details) {
    super(details);
  }
}
