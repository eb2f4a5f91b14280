package dev.reprise.device.error.mqtt;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The server does not offer this quality of service. */
public final class MqttQosNotSupportedException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public MqttQosNotSupportedException(ErrorDetails details) {
    super(details);
  }
}
