package dev.reprise.device.error.network;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.TransportException;

/** The name of the server was not resolved. */
public final class NetworkUnknownHostException extends TransportException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public NetworkUnknownHostException(ErrorDetails details) {
    super(details);
  }
}
