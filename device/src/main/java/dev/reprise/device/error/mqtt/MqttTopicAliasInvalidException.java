package dev.reprise.device.error.mqtt;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The device used a topic alias that the server does not allow. */
public final class MqttTopicAliasInvalidException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public MqttTopicAliasInvalidException(ErrorDetails details) {
    super(details);
  }
}
