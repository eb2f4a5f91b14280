package dev.reprise.server.http;

import dev.reprise.delivery.Payload;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The bounds of a project; {@link #NONE} where there is none.
 *
 * @param topics the most topics
 * @param subscriptions the most subscriptions
 * @param publishesPerSecond the most publishes a second, with bursts of one second's worth
 * @param pendingDeliveries the number of pending deliveries from which publishing is refused
 * @param messageBytes the most bytes of a message's bodies and attributes
 */
public record ProjectQuotas(
    int topics,
    int subscriptions,
    int publishesPerSecond,
    int pendingDeliveries,
    int messageBytes) {
  /** The value of a bound that is not set. */
  static final int NONE = 0;

  /** Bounds of nothing. */
  static final ProjectQuotas UNLIMITED = new ProjectQuotas(NONE, NONE, NONE, NONE, NONE);

  private static final Map<String, Integer> MOST = new LinkedHashMap<>();

  static {
    MOST.put("topics", 999_999_999);
    MOST.put("subscriptions", 999_999_999);
    MOST.put("publishesPerSecond", RateLimit.MAX_PER_SECOND);
    MOST.put("pendingDeliveries", 999_999_999);
    MOST.put("messageBytes", Payload.MAX_BYTES);
  }

  /** Reads the object; a field that is absent or null is no bound. */
  static ProjectQuotas read(@Nullable JsonNode document) {
    if (document == null || document.isNull()) {
      return UNLIMITED;
    }
    RequestFields.check(document, "quotas", List.copyOf(MOST.keySet()));
    return new ProjectQuotas(
        read(document, "topics"),
        read(document, "subscriptions"),
        read(document, "publishesPerSecond"),
        read(document, "pendingDeliveries"),
        read(document, "messageBytes"));
  }

  private static int read(JsonNode document, String field) {
    JsonNode value = document.get(field);
    return value == null || value.isNull()
        ? NONE
        : RequestFields.integer(
            value.toString(), "quotas." + field, NONE, MOST.getOrDefault(field, 0));
  }

  /** Writes those that are set. */
  public ObjectNode write() {
    ObjectNode document = JsonNodeFactory.instance.objectNode();
    put(document, "topics", topics);
    put(document, "subscriptions", subscriptions);
    put(document, "publishesPerSecond", publishesPerSecond);
    put(document, "pendingDeliveries", pendingDeliveries);
    put(document, "messageBytes", messageBytes);
    return document;
  }

  private static void put(ObjectNode document, String field, int value) {
    if (value != NONE) {
      document.put(field, value);
    }
  }
}
