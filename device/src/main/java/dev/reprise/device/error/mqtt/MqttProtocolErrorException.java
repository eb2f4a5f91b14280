package dev.reprise.device.error.mqtt;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server says that the device broke a rule of MQTT. */
public final class MqttProtocolErrorException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public MqttProtocolErrorException(ErrorDetails details) {
    super(details);
  }
}
