package dev.reprise.device.error.hub;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.HubServiceException;

/** The hub is overloaded, or down for a while. */
public final class ServerBusyException extends HubServiceException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public ServerBusyException(ErrorDetails details) {
    super(details);
  }
}
