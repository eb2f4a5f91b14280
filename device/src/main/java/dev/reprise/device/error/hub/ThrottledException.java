package dev.reprise.device.error.hub;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.HubServiceException;

/** The hub was asked too much too fast. */
public final class ThrottledException extends HubServiceException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public ThrottledException(ErrorDetails details) {
    super(details);
  }
}
