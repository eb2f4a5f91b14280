package dev.reprise.device.error.mqtt;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** An administrator ended the connection. */
public final class MqttAdministrativeActionException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public MqttAdministrativeActionException(ErrorDetails details) {
    super(details);
  }
}
