package dev.reprise.device.error.network;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.TransportException;

/** The connection to the server is shared, and carries as many requests as the server allows. */
public final class NetworkTooManyStreamsException extends TransportException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public NetworkTooManyStreamsException(ErrorDetails details) {
    super(details);
  }
}
