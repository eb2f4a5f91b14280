package dev.reprise.device.error.hub;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.HubServiceException;

/** The hub could not read the request. */
public final class BadFormatException extends HubServiceException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public BadFormatException(ErrorDetails details) {
    super(details);
  }
}
