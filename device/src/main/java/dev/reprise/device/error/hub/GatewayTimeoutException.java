package dev.reprise.device.error.hub;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.HubServiceException;

/** What stands before the hub got no answer from it in time. */
public final class GatewayTimeoutException extends HubServiceException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public GatewayTimeoutException(ErrorDetails details) {
    super(details);
  }
}
