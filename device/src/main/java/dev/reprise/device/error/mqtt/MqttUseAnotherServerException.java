package dev.reprise.device.error.mqtt;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server asks to go to another one for now. */
public final class MqttUseAnotherServerException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public MqttUseAnotherServerException(ErrorDetails details) {
    super(details);
  }
}
