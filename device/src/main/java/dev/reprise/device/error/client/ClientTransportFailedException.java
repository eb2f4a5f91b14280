package dev.reprise.device.error.client;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.TransportException;

/** The transport threw instead of telling what happened. */
public final class ClientTransportFailedException extends TransportException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public ClientTransportFailedException(ErrorDetails details) {
    super(details);
  }
}
