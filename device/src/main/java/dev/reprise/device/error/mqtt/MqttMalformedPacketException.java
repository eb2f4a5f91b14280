package dev.reprise.device.error.mqtt;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server could not read what the device sent. */
public final class MqttMalformedPacketException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public MqttMalformedPacketException(ErrorDetails details) {
    super(details);
  }
}
