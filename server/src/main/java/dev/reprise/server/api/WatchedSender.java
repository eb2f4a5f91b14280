package dev.reprise.server.api;

import dev.reprise.delivery.Attempt;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.GivenUp;
import dev.reprise.delivery.SuspensionChange;
import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.engine.AttemptSender;
import dev.reprise.server.event.OperatorEvents;
import dev.reprise.server.log.AttemptLog;
import java.util.function.Consumer;

/** Makes attempts, counts them, and tells of the deliveries that are given up. */
public final class WatchedSender implements AttemptSender {
  private final AttemptSender sender;
  private final AttemptSender measured;
  private final Catalog catalog;
  private final Metrics metrics;
  private final GivenUpLog log;
  private final OperatorEvents events;

  /** The same sender, watched. */
  public WatchedSender(
      AttemptSender sender,
      Catalog catalog,
      Metrics metrics,
      GivenUpLog log,
      OperatorEvents events) {
    this.sender = sender;
    this.measured = metrics.measured(sender);
    this.catalog = catalog;
    this.metrics = metrics;
    this.log = log;
    this.events = events;
  }

  @Override
  public void send(Attempt claim, Consumer<AttemptOutcome> done) {
    Consumer<AttemptOutcome> told = events.awaits(claim.subscription()) ? told(claim, done) : done;
    measured.send(claim, AttemptLog.isOn() ? logged(claim, told) : told);
  }

  private Consumer<AttemptOutcome> told(Attempt claim, Consumer<AttemptOutcome> done) {
    return outcome -> {
      if (outcome.made() && outcome.succeeded()) {
        events.delivered(claim.subscription());
      }
      done.accept(outcome);
    };
  }

  private Consumer<AttemptOutcome> logged(Attempt claim, Consumer<AttemptOutcome> done) {
    return outcome -> {
      Subscription subscription = catalog.findSubscription(claim.subscription());
      if (subscription != null) {
        AttemptLog.ended(claim, subscription, outcome);
      }
      done.accept(outcome);
    };
  }

  @Override
  public void forget(long subscription) {
    sender.forget(subscription);
    events.forget(subscription);
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
}
