package dev.reprise.server.watch;

import dev.reprise.delivery.Attempt;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.GivenUp;
import dev.reprise.delivery.SuspensionChange;
import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.host.DeliveryListener;
import dev.reprise.server.event.OperatorEvents;
import dev.reprise.server.log.AttemptLogger;

/** Takes what becomes of deliveries to metrics, log and operator events. */
public final class DeliveryWatch implements DeliveryListener {
  private final Catalog catalog;
  private final Metrics metrics;
  private final GivenUpLog log;
  private final OperatorEvents events;

  /** A watch over the subscriptions of a catalog. */
  public DeliveryWatch(Catalog catalog, Metrics metrics, GivenUpLog log, OperatorEvents events) {
    this.catalog = catalog;
    this.metrics = metrics;
    this.log = log;
    this.events = events;
  }

  @Override
  public void attemptEnded(Attempt attempt, long begunAtMillis, AttemptOutcome outcome) {
    metrics.attemptEnded(attempt, begunAtMillis, outcome);
    if (AttemptLogger.isOn()) {
      Subscription subscription = catalog.findSubscription(attempt.subscription());
      if (subscription != null) {
        AttemptLogger.ended(attempt, subscription, outcome);
      }
    }
    if (events.awaits(attempt.subscription()) && outcome.made() && outcome.succeeded()) {
      events.delivered(attempt.subscription());
    }
  }

  @Override
  public void gaveUp(GivenUp delivery) {
    Subscription subscription = catalog.findSubscription(delivery.subscription());
    if (subscription == null) {
      // Deliveries of a deleted subscription are not reported.
      return;
    }
    metrics.gaveUp(subscription.id());
    log.gaveUp(subscription.id(), delivery);
    events.gaveUp(subscription, delivery);
  }

  @Override
  public void suspensionChanged(SuspensionChange change) {
    Subscription subscription = catalog.findSubscription(change.subscription());
    if (subscription != null) {
      events.suspensionChanged(subscription, change);
    }
  }

  @Override
  public void unsubscribed(long subscription) {
    events.forget(subscription);
  }
}
