package dev.reprise.device.error.mqtt;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** An administrator has banned the device. */
public final class MqttBannedException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public MqttBannedException(ErrorDetails details) {
    super(details);
  }
}
