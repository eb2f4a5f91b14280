package dev.reprise.device.error.hub;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.HubServiceException;

/** The hub did not accept the credential of the device. */
public final class UnauthorizedException extends HubServiceException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public UnauthorizedException(ErrorDetails details) {
    super(details);
  }
}
