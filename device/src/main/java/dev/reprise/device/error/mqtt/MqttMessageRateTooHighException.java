package dev.reprise.device.error.mqtt;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** Messages came too fast. */
public final class MqttMessageRateTooHighException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public MqttMessageRateTooHighException(ErrorDetails details) {
    super(details);
  }
}
