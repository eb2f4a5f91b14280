package dev.reprise.delivery.function;

import dev.reprise.delivery.MessageId;
import tools.jackson.databind.JsonNode;

/**
 * A message as a function in the process gets it.
 *
 * @param id the message; the same at every attempt
 * @param attempt the number of this attempt, from 1
 * @param topic the topic's name
 * @param subscription the subscription's id, such as {@code orders-7}
 * @param contentType the media type of the body
 * @param body the body's bytes
 * @param attributes the message's attributes: an object
 */
public record FunctionMessage(
    MessageId id,
    int attempt,
    String topic,
    String subscription,
    String contentType,
    byte[] body,
    JsonNode attributes) {}
