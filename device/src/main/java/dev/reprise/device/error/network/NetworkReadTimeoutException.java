package dev.reprise.device.error.network;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.TransportException;

/** No answer came in time. */
public final class NetworkReadTimeoutException extends TransportException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public NetworkReadTimeoutException(ErrorDetails details) {
    super(details);
  }
}
