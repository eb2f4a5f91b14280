package dev.reprise.device.error.mqtt;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** One side heard nothing of the other for too long. */
public final class MqttKeepAliveTimeoutException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public MqttKeepAliveTimeoutException(ErrorDetails details) {
    super(details);
  }
}
