package dev.reprise.device.error.hub;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.HubServiceException;

/**
 * What answered was not the hub, or not for this connection: a redirect, a proxy or a portal that
 * wants a log-in first, a server that asks to come again in another way. The message was not taken.
 */
public final class HubNotReachedException extends HubServiceException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public HubNotReachedException(ErrorDetails details) {
    super(details);
  }
}
