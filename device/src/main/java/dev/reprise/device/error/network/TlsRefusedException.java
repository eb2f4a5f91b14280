package dev.reprise.device.error.network;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.TransportException;

/** The other side broke off the handshake, as a load balancer does that has no server yet. */
public final class TlsRefusedException extends TransportException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public TlsRefusedException(ErrorDetails details) {
    super(details);
  }
}
