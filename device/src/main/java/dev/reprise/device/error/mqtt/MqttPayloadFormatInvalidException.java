package dev.reprise.device.error.mqtt;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/** The payload is not of the format that was declared. */
public final class MqttPayloadFormatInvalidException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public MqttPayloadFormatInvalidException(ErrorDetails details) {
    super(details);
  }
}
