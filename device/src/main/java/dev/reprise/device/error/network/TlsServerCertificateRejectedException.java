package dev.reprise.device.error.network;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.TransportException;

/** The device does not trust the certificate of the other side. */
public final class TlsServerCertificateRejectedException extends TransportException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public TlsServerCertificateRejectedException(ErrorDetails details) {
    super(details);
  }
}
