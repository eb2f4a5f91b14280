package dev.reprise.device.error.network;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.TransportException;

/** No way leads to the server. */
public final class NetworkNoRouteToHostException extends TransportException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public NetworkNoRouteToHostException(ErrorDetails details) {
    super(details);
  }
}
