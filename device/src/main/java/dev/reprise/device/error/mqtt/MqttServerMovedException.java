package dev.reprise.device.error.mqtt;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server has moved for good. */
public final class MqttServerMovedException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public MqttServerMovedException(ErrorDetails details) {
    super(details);
  }
}
