package dev.reprise.device.error.mqtt;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server does not speak this version of MQTT. */
public final class MqttRejectedProtocolVersionException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public MqttRejectedProtocolVersionException(ErrorDetails details) {
    super(details);
  }
}
