package dev.reprise.server.api;

import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.catalog.CatalogDocuments;
import dev.reprise.delivery.catalog.EffectivePolicy;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.catalog.Topic;
import dev.reprise.delivery.shard.ShardInput.EndpointHealth;
import dev.reprise.policy.NotificationPolicy;
import dev.reprise.policy.SchedulePreview;
import dev.reprise.policy.ThrottlePolicy;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Subscriptions as the API shows them. */
final class SubscriptionDocuments {
  private SubscriptionDocuments() {}

  static ObjectNode write(Topic topic, Subscription subscription, Ledger ledger) {
    ObjectNode document = JsonNodeFactory.instance.objectNode();
    document.put("id", subscription.id());
    document.put("topic", subscription.topic());
    document.setAll(CatalogDocuments.writeSettings(subscription.settings()));
    document.put("createdAt", Times.text(subscription.createdAtMillis()));
    document.set(
        "effectivePolicy", effectivePolicy(EffectivePolicy.of(topic, subscription.settings())));
    document.set("ledger", ledger(ledger));
    return document;
  }

  private static ObjectNode effectivePolicy(EffectivePolicy policy) {
    ObjectNode document = JsonNodeFactory.instance.objectNode();
    NotificationPolicy retrying = NotificationPolicy.of(policy.retries());
    JsonNode retries = SchedulePreview.of(retrying, "").toJson().get("healthyRetryPolicy");
    document.set("healthyRetryPolicy", retries);
    document.put("healthyRetryPolicyFrom", policy.retriesFrom().wireName());
    if (policy.retriesFrom() == EffectivePolicy.Source.PRESET) {
      document.put("preset", EffectivePolicy.PRESET);
    }
    ThrottlePolicy throttle = policy.throttle();
    if (throttle == null) {
      document.putNull("throttlePolicy");
      document.putNull("throttlePolicyFrom");
    } else {
      document
          .putObject("throttlePolicy")
          .put("maxReceivesPerSecond", throttle.maxReceivesPerSecond());
      document.put("throttlePolicyFrom", policy.throttleFrom().wireName());
    }
    return document;
  }

  /** What only memory knows; null if it does not say. */
  static JsonNode health(@Nullable EndpointHealth health) {
    if (health == null) {
      return JsonNodeFactory.instance.nullNode();
    }
    ObjectNode document = JsonNodeFactory.instance.objectNode();
    document.put("inFlight", health.inFlight());
    document.put("limit", health.limit());
    document.put("maxInFlight", health.maxInFlight());
    document.put("limitReason", health.limitReason().wireName());
    document.put("throttledMillis", health.throttledMillis());
    document.put(
        "pausedUntil",
        health.pausedUntilMillis() == 0 ? null : Times.text(health.pausedUntilMillis()));
    document.put(
        "nextDueAt", health.nextDueMillis() < 0 ? null : Times.text(health.nextDueMillis()));
    return document;
  }

  static ObjectNode ledger(Ledger ledger) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("accepted", ledger.accepted())
        .put("pending", ledger.pending())
        .put("delivered", ledger.delivered())
        .put("deadLettered", ledger.deadLettered())
        .put("discarded", ledger.discarded())
        .put("expired", ledger.expired())
        .put("attempts", ledger.attempts())
        .put("unexplained", ledger.unexplained());
  }
}
