package dev.reprise.device.error.hub;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.HubServiceException;

/** The message is larger than the hub takes. */
public final class RequestEntityTooLargeException extends HubServiceException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public RequestEntityTooLargeException(ErrorDetails details) {
    super(details);
  }
}
