package dev.reprise.device.error.network;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.TransportException;

/** The network of the server cannot be reached, or the device has none. */
public final class NetworkUnreachableException extends TransportException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public NetworkUnreachableException(ErrorDetails details) {
    super(details);
  }
}
