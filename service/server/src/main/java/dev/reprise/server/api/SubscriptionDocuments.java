package dev.reprise.server.api;

import dev.reprise.delivery.EndpointHealth;
import dev.reprise.delivery.EndpointHealth.GroupHold;
import dev.reprise.delivery.EndpointStanding;
import dev.reprise.delivery.EndpointStanding.LastOutcome;
import dev.reprise.delivery.HeldDeliveries;
import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.ReceiptCounts;
import dev.reprise.delivery.RepeatCounts;
import dev.reprise.delivery.RepeatReason;
import dev.reprise.delivery.SubscriptionFigures;
import dev.reprise.delivery.Suspension;
import dev.reprise.delivery.catalog.CatalogDocuments;
import dev.reprise.delivery.catalog.EffectivePolicy;
import dev.reprise.delivery.catalog.Labelling;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.catalog.Topic;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.policy.ThrottlePolicy;
import dev.reprise.server.document.LedgerCounts;
import dev.reprise.server.document.SubscriptionDetails.HealthDocument;
import dev.reprise.server.document.SubscriptionDetails.HoldDocument;
import dev.reprise.server.document.SubscriptionDocument;
import dev.reprise.server.document.SubscriptionDocument.EffectivePolicyDocument;
import dev.reprise.server.document.SubscriptionDocument.LastOutcomeDocument;
import dev.reprise.server.document.SubscriptionDocument.ReceiptsDocument;
import dev.reprise.server.document.SubscriptionDocument.SuspendedDocument;
import dev.reprise.server.document.SubscriptionDocument.ThrottleDocument;
import dev.reprise.server.http.Times;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Subscriptions as the API shows them. */
final class SubscriptionDocuments {
  private SubscriptionDocuments() {}

  static SubscriptionDocument write(
      Topic topic,
      Subscription subscription,
      SubscriptionFigures figures,
      List<String> flags,
      List<String> warnings) {
    ReceiptCounts receipts = figures.receipts();
    EndpointStanding standing = figures.standing();
    ObjectNode settings = CatalogDocuments.writeSettings(subscription.settings());
    Labelling labelling = subscription.settings().labelling();
    return new SubscriptionDocument(
        subscription.id(),
        subscription.topic(),
        settings.path("protocol").asString(),
        settings.path("endpoint").asString(),
        settings.path("carrier").asString(null),
        settings.path("format").asString(),
        settings.get("policy"),
        settings.get("filter"),
        settings.path("deadLetters").asString(),
        settings.path("lifetime").asString(""),
        settings.path("maxInFlight").asInt(),
        settings.get("http"),
        settings.path("deadLetterTarget").asString(null),
        settings.path("startSuspended").asBoolean(),
        settings.path("suspendWhenGone").asBoolean(),
        subscription.settings().shards() == 1 ? null : subscription.settings().shards(),
        labelling.name(),
        labelling.labels(),
        labelling.customer(),
        suspended(figures.held()),
        time(standing.failingSinceMillis()),
        time(standing.lastSuccessMillis()),
        lastOutcome(standing.last()),
        Times.text(subscription.createdAtMillis()),
        effectivePolicy(subscription, EffectivePolicy.of(topic, subscription.settings())),
        ledger(figures.ledger()),
        receipts.equals(ReceiptCounts.NONE)
            ? null
            : new ReceiptsDocument(receipts.delivered(), receipts.failed()),
        repeats(figures.repeats()),
        flags,
        warnings);
  }

  private static @Nullable String time(long millis) {
    return millis == 0 ? null : Times.text(millis);
  }

  private static @Nullable LastOutcomeDocument lastOutcome(@Nullable LastOutcome last) {
    return last == null
        ? null
        : new LastOutcomeDocument(
            Times.text(last.atMillis()), last.outcome().wireName(), last.summary());
  }

  private static Map<String, Long> repeats(RepeatCounts counts) {
    Map<String, Long> repeats = new LinkedHashMap<>();
    for (RepeatReason reason : RepeatReason.values()) {
      if (counts.of(reason) > 0) {
        repeats.put(reason.wireName(), counts.of(reason));
      }
    }
    return repeats;
  }

  /** Returns how a subscription is suspended; null if it is not. */
  static @Nullable SuspendedDocument suspended(@Nullable HeldDeliveries held) {
    if (held == null) {
      return null;
    }
    Suspension suspension = held.suspension();
    return new SuspendedDocument(
        suspension.cause().name().toLowerCase(Locale.ROOT),
        Times.text(suspension.sinceMillis()),
        suspension.reason().isEmpty() ? null : suspension.reason(),
        Duration.ofMillis(suspension.maxAgeMillis()).toString(),
        suspension.maxHeld(),
        held.deliveries(),
        held.dropsAtMillis() < 0 ? null : Times.text(held.dropsAtMillis()));
  }

  private static EffectivePolicyDocument effectivePolicy(
      Subscription subscription, EffectivePolicy policy) {
    ThrottlePolicy throttle = policy.throttle();
    return new EffectivePolicyDocument(
        PolicyDocuments.write(policy.retries()),
        policy.retriesFrom().wireName(),
        policy.retriesFrom() == EffectivePolicy.Source.PRESET
            ? subscription.settings().protocol().preset()
            : null,
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
            hold(health.groupHold()),
            health.nextDueMillis() < 0 ? null : Times.text(health.nextDueMillis()));
  }

  private static @Nullable HoldDocument hold(@Nullable GroupHold hold) {
    return hold == null
        ? null
        : new HoldDocument(
            hold.group(),
            hold.reason(),
            hold.untilMillis() == 0 ? null : Times.text(hold.untilMillis()));
  }

  static LedgerCounts ledger(Ledger ledger) {
    return new LedgerCounts(
        ledger.accepted(),
        ledger.pending(),
        ledger.delivered(),
        ledger.deadLettered(),
        ledger.discarded(),
        ledger.expired(),
        ledger.moved(),
        ledger.attempts(),
        ledger.unexplained());
  }
}
