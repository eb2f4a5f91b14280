package dev.reprise.device.error.hub;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.HubServiceException;

/** The device may not do this. */
public final class ForbiddenException extends HubServiceException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public ForbiddenException(ErrorDetails details) {
    super(details);
  }
}
