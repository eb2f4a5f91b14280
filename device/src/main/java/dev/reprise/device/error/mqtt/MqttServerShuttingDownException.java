package dev.reprise.device.error.mqtt;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server is going down. */
public final class MqttServerShuttingDownException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public MqttServerShuttingDownException(ErrorDetails details) {
    super(details);
  }
}
