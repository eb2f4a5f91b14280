package dev.reprise.device.error.network;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.TransportException;

/** Nobody listens at the address. */
public final class NetworkConnectionRefusedException extends TransportException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public NetworkConnectionRefusedException(ErrorDetails details) {
    super(details);
  }
}
