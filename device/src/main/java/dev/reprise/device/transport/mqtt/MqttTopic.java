package dev.reprise.device.transport.mqtt;

import dev.reprise.device.message.Message;

/**
 * Says which topic a message is published to. Thread-safe, does not block, and returns the same
 * topic for the same message: it is asked again for each attempt.
 */
@FunctionalInterface
public interface MqttTopic {
  /** Returns the topic of a message: at least one character, without wildcards. */
  String of(Message message);

  /** Returns always the same topic. */
  static MqttTopic constant(String topic) {
    com.hivemq.client.mqtt.datatypes.MqttTopic.of(topic);
    return message -> topic;
  }
}
