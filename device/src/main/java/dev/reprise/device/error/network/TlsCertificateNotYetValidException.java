package dev.reprise.device.error.network;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.TransportException;

/** A certificate becomes valid later, by the clock of the device, which may be wrong. */
public final class TlsCertificateNotYetValidException extends TransportException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public TlsCertificateNotYetValidException(ErrorDetails details) {
    super(details);
  }
}
