package dev.reprise.device.error.hub;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.HubServiceException;

/** The hub gave up waiting for the request. */
public final class RequestTimeoutException extends HubServiceException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public RequestTimeoutException(ErrorDetails details) {
    super(details);
  }
}
