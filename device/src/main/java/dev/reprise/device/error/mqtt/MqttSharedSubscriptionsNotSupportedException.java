package dev.reprise.device.error.mqtt;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server does not offer shared subscriptions. */
public final class MqttSharedSubscriptionsNotSupportedException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public MqttSharedSubscriptionsNotSupportedException(ErrorDetails details) {
    super(details);
  }
}
