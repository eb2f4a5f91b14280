package dev.reprise.device.error.client;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.TransportException;

/** The message cannot be put into the words of the protocol, and was not sent. */
public final class ClientInvalidMessageException extends TransportException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public ClientInvalidMessageException(ErrorDetails details) {
    super(details);
  }
}
