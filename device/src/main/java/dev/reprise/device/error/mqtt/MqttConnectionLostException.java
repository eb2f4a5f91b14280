package dev.reprise.device.error.mqtt;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The connection ended without a word from the server. */
public final class MqttConnectionLostException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public MqttConnectionLostException(ErrorDetails details) {
    super(details);
  }
}
