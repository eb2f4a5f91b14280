package dev.reprise.delivery.engine;

import dev.reprise.delivery.Attempt;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.GivenUp;
import dev.reprise.delivery.SuspensionChange;
import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.catalog.Subscription;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The same sender, which hears once, from the first shard here, that a subscription which is spread
 * over several of them was suspended or released.
 */
final class ToldOnce implements AttemptSender {
  private final AttemptSender sender;
  private final Catalog catalog;

  /** Whether the last that was told is that it was suspended. */
  private final Map<Long, Boolean> told = new ConcurrentHashMap<>();

  ToldOnce(AttemptSender sender, Catalog catalog) {
    this.sender = sender;
    this.catalog = catalog;
  }

  @Override
  public void send(Attempt claim, Consumer<AttemptOutcome> done) {
    sender.send(claim, done);
  }

  @Override
  public void forget(long subscription) {
    sender.forget(subscription);
    told.remove(subscription);
  }

  @Override
  public void gaveUp(GivenUp delivery) {
    sender.gaveUp(delivery);
  }

  @Override
  public void suspensionChanged(SuspensionChange change) {
    Subscription subscription = catalog.findSubscription(change.subscription());
    if (subscription != null && subscription.settings().shards() > 1) {
      tellOnce(change);
    } else {
      sender.suspensionChanged(change);
    }
  }

  /** One shard at a time: what is told last must be what was noted last. */
  private synchronized void tellOnce(SuspensionChange change) {
    Boolean suspended = change.suspension() != null;
    if (!suspended.equals(told.put(change.subscription(), suspended))) {
      sender.suspensionChanged(change);
    }
  }
}
