package dev.reprise.device.error.hub;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.HubServiceException;

/** What stands before the hub got no usable answer from it. */
public final class BadGatewayException extends HubServiceException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public BadGatewayException(ErrorDetails details) {
    super(details);
  }
}
