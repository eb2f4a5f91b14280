package dev.reprise.device.error.mqtt;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The device is not allowed to do this; some servers say so of a wrong password. */
public final class MqttUnauthorizedException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public MqttUnauthorizedException(ErrorDetails details) {
    super(details);
  }
}
