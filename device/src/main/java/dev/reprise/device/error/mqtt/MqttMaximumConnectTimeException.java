package dev.reprise.device.error.mqtt;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The time that a connection may last is over. */
public final class MqttMaximumConnectTimeException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public MqttMaximumConnectTimeException(ErrorDetails details) {
    super(details);
  }
}
