package dev.reprise.device.error.network;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.TransportException;

/** No connection came about in time. */
public final class NetworkConnectTimeoutException extends TransportException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public NetworkConnectTimeoutException(ErrorDetails details) {
    super(details);
  }
}
