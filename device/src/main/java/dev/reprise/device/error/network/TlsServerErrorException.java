package dev.reprise.device.error.network;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.TransportException;

/** The other side failed during the TLS handshake. */
public final class TlsServerErrorException extends TransportException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public TlsServerErrorException(ErrorDetails details) {
    super(details);
  }
}
