package dev.reprise.device.error.mqtt;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server does not offer subscription identifiers. */
public final class MqttSubscriptionIdentifiersNotSupportedException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public MqttSubscriptionIdentifiersNotSupportedException(ErrorDetails details) {
    super(details);
  }
}
