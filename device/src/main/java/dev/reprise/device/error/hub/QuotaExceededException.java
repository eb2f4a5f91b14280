package dev.reprise.device.error.hub;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.HubServiceException;

/** An allowance at the hub is used up. */
public final class QuotaExceededException extends HubServiceException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public QuotaExceededException(ErrorDetails details) {
    super(details);
  }
}
