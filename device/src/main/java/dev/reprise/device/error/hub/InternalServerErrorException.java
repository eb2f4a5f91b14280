package dev.reprise.device.error.hub;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.HubServiceException;

/** The hub failed for a reason that it does not tell. */
public final class InternalServerErrorException extends HubServiceException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public InternalServerErrorException(ErrorDetails details) {
    super(details);
  }
}
