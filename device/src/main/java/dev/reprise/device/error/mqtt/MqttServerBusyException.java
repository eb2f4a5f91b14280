package dev.reprise.device.error.mqtt;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server is overloaded. */
public final class MqttServerBusyException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public MqttServerBusyException(ErrorDetails details) {
    super(details);
  }
}
