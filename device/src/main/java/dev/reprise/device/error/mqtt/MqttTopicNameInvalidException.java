package dev.reprise.device.error.mqtt;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server does not accept the name of the topic. */
public final class MqttTopicNameInvalidException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public MqttTopicNameInvalidException(ErrorDetails details) {
    super(details);
  }
}
