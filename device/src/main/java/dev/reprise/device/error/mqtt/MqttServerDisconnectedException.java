package dev.reprise.device.error.mqtt;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server ended the connection in good order, without a reason. */
public final class MqttServerDisconnectedException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public MqttServerDisconnectedException(ErrorDetails details) {
    super(details);
  }
}
