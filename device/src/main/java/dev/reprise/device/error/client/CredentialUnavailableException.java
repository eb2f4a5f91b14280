package dev.reprise.device.error.client;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.TransportException;

/** No credential could be had for now. */
public final class CredentialUnavailableException extends TransportException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public CredentialUnavailableException(ErrorDetails details) {
    super(details);
  }
}
