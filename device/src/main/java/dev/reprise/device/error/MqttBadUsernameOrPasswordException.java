package dev.reprise.device.error;

/**
 * Thrown when an MQTT server refuses user name or password (connect code 4 of MQTT 3.1.1, 0x86 of
 * MQTT 5). It is the one error of a protocol with a class of its own, because the retry
 * documentation of the Azure IoT device SDK tells applications to check for it; every other error
 * is told apart by {@link #name}, {@link #code} or {@link #kind}.
 */
public final class MqttBadUsernameOrPasswordException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  /** The name of its rows in the error table. */
  static final String NAME = "MqttBadUsernameOrPassword";

  /** Creates the exception. */
  public MqttBadUsernameOrPasswordException(ErrorDetails details) {
    super(details);
  }
}
