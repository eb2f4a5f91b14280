package dev.reprise.device.error.hub;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.HubServiceException;

/** The hub answered with a status that has no name here; its range decides what it means. */
public final class ServiceUnknownException extends HubServiceException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public ServiceUnknownException(ErrorDetails details) {
    super(details);
  }
}
