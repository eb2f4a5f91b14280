package dev.reprise.device.error.mqtt;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** Another connection with the same client id has taken the place of this one. */
public final class MqttSessionTakenOverException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public MqttSessionTakenOverException(ErrorDetails details) {
    super(details);
  }
}
