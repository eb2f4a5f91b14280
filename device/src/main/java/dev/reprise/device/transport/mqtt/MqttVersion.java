package dev.reprise.device.transport.mqtt;

/** The version of MQTT. */
public enum MqttVersion {
  /**
   * MQTT 5, or 3.1.1 with a server that does not know 5. One that just hangs up at a version that
   * it does not know, such as RabbitMQ before 3.13, cannot be told from a bad link at first: it is
   * asked for 3.1.1 at every second attempt after three such ends in a row. What it speaks is
   * remembered for as long as the transport lives; name the version to spare these attempts.
   */
  AUTO,

  /** MQTT 5 only. */
  MQTT_5,

  /** MQTT 3.1.1 only. */
  MQTT_3_1_1
}
