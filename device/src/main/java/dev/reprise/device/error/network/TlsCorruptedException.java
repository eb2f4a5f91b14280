package dev.reprise.device.error.network;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.TransportException;

/** What arrived was changed on its way. */
public final class TlsCorruptedException extends TransportException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public TlsCorruptedException(ErrorDetails details) {
    super(details);
  }
}
