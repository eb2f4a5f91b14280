package dev.reprise.device.error.mqtt;

import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ProtocolException;

/**
 * The server did not accept the user name or the password; some servers say {@link
 * MqttUnauthorizedException} instead.
 */
public final class MqttBadUsernameOrPasswordException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public MqttBadUsernameOrPasswordException(ErrorDetails details) {
    super(details);
  }
}
