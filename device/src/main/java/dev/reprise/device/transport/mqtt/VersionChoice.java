package dev.reprise.device.transport.mqtt;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the version of MQTT that a server speaks, where the settings leave that open. Asks for MQTT
 * 5 first, and for 3.1.1
 *
 * <ul>
 *   <li>at once, when the server says that it does not know 5, or gives an answer that cannot be
 *       read;
 *   <li>at every second attempt, after the server has hung up on 5 without an answer three times in
 *       a row: so do some that do not know it, and so does a bad link.
 * </ul>
 *
 * <p>A server that says that it does not know 5 is not asked for it again. For the others, the word
 * of 3.1.1 must be heard twice, and no answer to 5 between: what cannot be read may have come from
 * elsewhere, and who hangs up may just have been started. Thread-safe.
 */
final class VersionChoice {
  private static final Logger LOG = LoggerFactory.getLogger(VersionChoice.class);

  /**
   * The ends in a row before 3.1.1 is tried. With fewer, a starting server would lead to the
   * version with less information.
   */
  static final int HANG_UPS = 3;

  private final MqttVersion setting;
  private final String host;
  private boolean speaks311;
  private boolean has311;
  private int hangUps;
  private boolean triedOther;
  private boolean downgradeIsLogged;

  VersionChoice(MqttVersion setting, String host) {
    this.setting = setting;
    this.host = host;
  }

  /** Returns the version that the next attempt begins with. */
  synchronized MqttVersion next() {
    if (setting != MqttVersion.AUTO) {
      return setting;
    }
    if (speaks311) {
      return MqttVersion.MQTT_3_1_1;
    }
    boolean isTurnOfOther = hangUps >= HANG_UPS && !has311 && !triedOther;
    triedOther = isTurnOfOther;
    return isTurnOfOther ? MqttVersion.MQTT_3_1_1 : MqttVersion.MQTT_5;
  }

  /** Returns whether the server may be asked in 3.1.1 at once, as it did not understand. */
  boolean mayFallBackFrom(MqttVersion version) {
    return setting == MqttVersion.AUTO && version == MqttVersion.MQTT_5;
  }

  /**
   * The server has hung up without an answer.
   *
   * @return whether to ask it in 3.1.1 at once, as it is known to answer that
   */
  synchronized boolean hungUpOn(MqttVersion version) {
    if (!mayFallBackFrom(version)) {
      return false;
    }
    hangUps = Math.min(HANG_UPS, hangUps + 1);
    return has311;
  }

  /** The server does not speak the version, and has said so. */
  synchronized void refused(MqttVersion version) {
    speaks311 = version == MqttVersion.MQTT_5;
    has311 = false;
    hangUps = 0;
  }

  /** The server has accepted the device in this version. */
  synchronized void accepted(MqttVersion version) {
    if (setting != MqttVersion.AUTO) {
      return;
    }
    if (version == MqttVersion.MQTT_5) {
      has311 = false;
      hangUps = 0;
      return;
    }
    speaks311 |= has311;
    has311 = true;
    if (!downgradeIsLogged) {
      downgradeIsLogged = true;
      LOG.warn(
          "{} does not answer MQTT 5: connected with 3.1.1, which cannot tell that a message is"
              + " refused",
          host);
    }
  }
}
