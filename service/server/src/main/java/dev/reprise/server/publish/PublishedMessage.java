package dev.reprise.server.publish;

import dev.reprise.delivery.Payload;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A message as a client has sent it.
 *
 * @param payload what is delivered
 * @param attributes the payload's attributes, parsed
 * @param idempotencyKey the key that stood in the message; null for none
 */
public record PublishedMessage(
    Payload payload, JsonNode attributes, @Nullable String idempotencyKey) {}
