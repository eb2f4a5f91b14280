package dev.reprise.device.error.mqtt;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server is there, but its MQTT service is not. */
public final class MqttServerUnavailableException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public MqttServerUnavailableException(ErrorDetails details) {
    super(details);
  }
}
