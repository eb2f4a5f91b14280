package dev.reprise.device.error.network;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.TransportException;

/** What arrived is no HTTP: something between the device and the server may have answered. */
public final class NetworkUnreadableAnswerException extends TransportException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public NetworkUnreadableAnswerException(ErrorDetails details) {
    super(details);
  }
}
