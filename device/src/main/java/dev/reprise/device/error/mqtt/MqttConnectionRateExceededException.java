package dev.reprise.device.error.mqtt;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** Connections are made too fast. */
public final class MqttConnectionRateExceededException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public MqttConnectionRateExceededException(ErrorDetails details) {
    super(details);
  }
}
