package dev.reprise.device.error.client;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.TransportException;

/** The settings of the client do not fit the protocol or each other. */
public final class ClientSettingsException extends TransportException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public ClientSettingsException(ErrorDetails details) {
    super(details);
  }
}
