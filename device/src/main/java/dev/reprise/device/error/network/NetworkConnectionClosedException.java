package dev.reprise.device.error.network;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.TransportException;

/** The connection was closed where an answer was due. */
public final class NetworkConnectionClosedException extends TransportException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public NetworkConnectionClosedException(ErrorDetails details) {
    super(details);
  }
}
