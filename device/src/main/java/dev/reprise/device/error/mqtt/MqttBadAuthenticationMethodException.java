package dev.reprise.device.error.mqtt;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/**
 * The server does not know the method of authentication, or it is not the one that the connection
 * began with.
 */
public final class MqttBadAuthenticationMethodException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public MqttBadAuthenticationMethodException(ErrorDetails details) {
    super(details);
  }
}
