package dev.reprise.device.error.network;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.TransportException;

/** The other side does not accept the certificate of the device, or wants one. */
public final class TlsCertificateRejectedException extends TransportException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public TlsCertificateRejectedException(ErrorDetails details) {
    super(details);
  }
}
