package dev.reprise.device.error.mqtt;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server does not accept the topic filter of a subscription. */
public final class MqttTopicFilterInvalidException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public MqttTopicFilterInvalidException(ErrorDetails details) {
    super(details);
  }
}
