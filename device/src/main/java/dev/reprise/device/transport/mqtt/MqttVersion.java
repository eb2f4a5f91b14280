package dev.reprise.device.transport.mqtt;

/** Which version of MQTT is spoken. */
public enum MqttVersion {
  /**
   * MQTT 5, or 3.1.1 with a server that says that it does not know 5. A server that just hangs up
   * at a version it does not know cannot be told from a bad link: for such a one, name the version.
   */
  AUTO,

  /** MQTT 5 only. */
  MQTT_5,

  /** MQTT 3.1.1 only. */
  MQTT_3_1_1
}
