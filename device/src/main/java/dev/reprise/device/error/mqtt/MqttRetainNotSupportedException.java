package dev.reprise.device.error.mqtt;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server keeps no retained messages. */
public final class MqttRetainNotSupportedException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public MqttRetainNotSupportedException(ErrorDetails details) {
    super(details);
  }
}
