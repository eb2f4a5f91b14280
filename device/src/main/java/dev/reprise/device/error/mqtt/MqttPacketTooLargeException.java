package dev.reprise.device.error.mqtt;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The packet is larger than the server takes. */
public final class MqttPacketTooLargeException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public MqttPacketTooLargeException(ErrorDetails details) {
    super(details);
  }
}
