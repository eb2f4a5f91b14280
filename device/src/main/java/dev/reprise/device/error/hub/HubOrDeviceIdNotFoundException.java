package dev.reprise.device.error.hub;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.HubServiceException;

/** The hub, or the device at it, does not exist. */
public final class HubOrDeviceIdNotFoundException extends HubServiceException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public HubOrDeviceIdNotFoundException(ErrorDetails details) {
    super(details);
  }
}
