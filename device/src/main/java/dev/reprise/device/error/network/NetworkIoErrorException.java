package dev.reprise.device.error.network;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.TransportException;

/** Reading or writing failed, and the system does not tell more. */
public final class NetworkIoErrorException extends TransportException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public NetworkIoErrorException(ErrorDetails details) {
    super(details);
  }
}
