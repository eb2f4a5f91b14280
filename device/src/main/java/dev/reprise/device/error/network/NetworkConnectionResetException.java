package dev.reprise.device.error.network;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.TransportException;

/** The connection was broken off. */
public final class NetworkConnectionResetException extends TransportException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public NetworkConnectionResetException(ErrorDetails details) {
    super(details);
  }
}
