package dev.reprise.device.error.mqtt;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server does not accept the client id. */
public final class MqttIdentifierRejectedException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public MqttIdentifierRejectedException(ErrorDetails details) {
    super(details);
  }
}
