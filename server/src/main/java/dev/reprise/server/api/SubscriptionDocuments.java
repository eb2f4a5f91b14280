package dev.reprise.server.api;

import dev.reprise.delivery.EndpointHealth;
import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.catalog.CatalogDocuments;
import dev.reprise.delivery.catalog.EffectivePolicy;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.catalog.Topic;
import dev.reprise.policy.NotificationPolicy;
import dev.reprise.policy.SchedulePreview;
import dev.reprise.policy.ThrottlePolicy;
import dev.reprise.server.document.LedgerCounts;
import dev.reprise.server.document.SubscriptionDetails.HealthDocument;
import dev.reprise.server.document.SubscriptionDocument;
import dev.reprise.server.document.SubscriptionDocument.EffectivePolicyDocument;
import dev.reprise.server.document.SubscriptionDocument.ThrottleDocument;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Subscriptions as the API shows them. */
final class SubscriptionDocuments {
  private SubscriptionDocuments() {}

  static SubscriptionDocument write(
      Topic topic, Subscription subscription, Ledger ledger, List<String> warnings) {
    ObjectNode settings = CatalogDocuments.writeSettings(subscription.settings());
    return new SubscriptionDocument(
        subscription.id(),
        subscription.topic(),
        settings.path("endpoint").asString(),
        settings.path("format").asString(),
        settings.get("policy"),
        settings.get("filter"),
        settings.path("deadLetters").asString(),
        settings.path("lifetime").asString(""),
        settings.path("maxInFlight").asInt(),
        Times.text(subscription.createdAtMillis()),
        effectivePolicy(EffectivePolicy.of(topic, subscription.settings())),
        ledger(ledger),
        warnings);
  }

  private static EffectivePolicyDocument effectivePolicy(EffectivePolicy policy) {
    NotificationPolicy retrying = NotificationPolicy.of(policy.retries());
    ThrottlePolicy throttle = policy.throttle();
    return new EffectivePolicyDocument(
        SchedulePreview.of(retrying, "").toJson().get("healthyRetryPolicy"),
        policy.retriesFrom().wireName(),
        policy.retriesFrom() == EffectivePolicy.Source.PRESET ? EffectivePolicy.PRESET : null,
        throttle == null ? null : new ThrottleDocument(throttle.maxReceivesPerSecond()),
        throttle == null ? null : policy.throttleFrom().wireName());
  }

  /** Returns the health, which only memory knows; null if it does not say. */
  static @Nullable HealthDocument health(@Nullable EndpointHealth health) {
    return health == null
        ? null
        : new HealthDocument(
            health.inFlight(),
            health.limit(),
            health.maxInFlight(),
            health.limitReason().wireName(),
            health.throttledMillis(),
            health.pausedUntilMillis() == 0 ? null : Times.text(health.pausedUntilMillis()),
            health.nextDueMillis() < 0 ? null : Times.text(health.nextDueMillis()));
  }

  static LedgerCounts ledger(Ledger ledger) {
    return new LedgerCounts(
        ledger.accepted(),
        ledger.pending(),
        ledger.delivered(),
        ledger.deadLettered(),
        ledger.discarded(),
        ledger.expired(),
        ledger.attempts(),
        ledger.unexplained());
  }
}
