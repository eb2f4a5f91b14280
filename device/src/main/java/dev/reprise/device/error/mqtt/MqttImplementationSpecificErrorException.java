package dev.reprise.device.error.mqtt;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/**
 * What the device sent is valid MQTT, and this server does not take it, for a reason of its own.
 */
public final class MqttImplementationSpecificErrorException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public MqttImplementationSpecificErrorException(ErrorDetails details) {
    super(details);
  }
}
