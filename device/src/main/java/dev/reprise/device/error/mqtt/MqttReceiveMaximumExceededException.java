package dev.reprise.device.error.mqtt;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** More messages were under way than the server allows. */
public final class MqttReceiveMaximumExceededException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public MqttReceiveMaximumExceededException(ErrorDetails details) {
    super(details);
  }
}
