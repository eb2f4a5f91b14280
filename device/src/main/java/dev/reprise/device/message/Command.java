package dev.reprise.device.message;

import java.util.Map;

/**
 * A command of the other side to the device. It may arrive more than once.
 *
 * @param name where it was sent to: the MQTT topic, the AMQP address
 * @param id its id, or an empty text when the sender gave none
 * @param body its bytes, not a copy
 * @param properties what was sent beside the body
 */
public record Command(String name, String id, byte[] body, Map<String, String> properties) {}
