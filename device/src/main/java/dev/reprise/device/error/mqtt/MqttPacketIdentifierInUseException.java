package dev.reprise.device.error.mqtt;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server holds that the id of the packet is still in use. */
public final class MqttPacketIdentifierInUseException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public MqttPacketIdentifierInUseException(ErrorDetails details) {
    super(details);
  }
}
