package dev.reprise.device.error.mqtt;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** A limit of the server, or one that its administrator set, is reached. */
public final class MqttQuotaExceededException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public MqttQuotaExceededException(ErrorDetails details) {
    super(details);
  }
}
