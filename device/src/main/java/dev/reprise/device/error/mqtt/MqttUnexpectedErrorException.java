package dev.reprise.device.error.mqtt;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server sent a code that MQTT does not define. */
public final class MqttUnexpectedErrorException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public MqttUnexpectedErrorException(ErrorDetails details) {
    super(details);
  }
}
