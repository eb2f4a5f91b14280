package dev.reprise.device.error.mqtt;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server refused the subscription and does not tell why. */
public final class MqttSubscribeFailedException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public MqttSubscribeFailedException(ErrorDetails details) {
    super(details);
  }
}
