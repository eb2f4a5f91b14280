package dev.reprise.device.error.mqtt;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server failed, and does not tell how. */
public final class MqttUnspecifiedErrorException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public MqttUnspecifiedErrorException(ErrorDetails details) {
    super(details);
  }
}
