package dev.reprise.device.error.network;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.TransportException;

/** The two sides do not agree on TLS, or the other one does not speak it. */
public final class TlsHandshakeFailedException extends TransportException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public TlsHandshakeFailedException(ErrorDetails details) {
    super(details);
  }
}
