package dev.reprise.device.error.hub;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.HubServiceException;

/** A condition that the request named does not hold. */
public final class PreconditionFailedException extends HubServiceException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public PreconditionFailedException(ErrorDetails details) {
    super(details);
  }
}
