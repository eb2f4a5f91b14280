package dev.reprise.device.error.mqtt;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server did not answer the request to connect in time. */
public final class MqttConnectTimeoutException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public MqttConnectTimeoutException(ErrorDetails details) {
    super(details);
  }
}
