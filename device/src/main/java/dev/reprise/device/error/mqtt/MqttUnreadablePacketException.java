package dev.reprise.device.error.mqtt;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** What arrived is no MQTT: something between the device and the server may have answered. */
public final class MqttUnreadablePacketException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public MqttUnreadablePacketException(ErrorDetails details) {
    super(details);
  }
}
