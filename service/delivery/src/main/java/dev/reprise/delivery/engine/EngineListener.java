package dev.reprise.delivery.engine;

import dev.reprise.delivery.Attempt;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.GivenUp;
import dev.reprise.delivery.SuspensionChange;
import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.host.DeliveryListener;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands on what shards report: dead letters to the engine's mover, everything to the listener of
 * the program. A subscription that is spread over several shards is reported by each of them as
 * suspended or released; the listener is notified of the first one only. An error of the listener
 * ends here: it must stop neither a shard nor a delivery.
 */
final class EngineListener implements DeliveryListener {
  private static final Logger LOG = LoggerFactory.getLogger(EngineListener.class);

  private final DeliveryListener listener;
  private final Catalog catalog;
  private final Consumer<Subscription> deadLetters;

  /** Whether a subscription that is spread was last reported as suspended. */
  private final Map<Long, Boolean> suspended = new ConcurrentHashMap<>();

  /**
   * A listener over that of the program.
   *
   * @param deadLetters is given the subscriptions that may have a new dead letter
   */
  EngineListener(DeliveryListener listener, Catalog catalog, Consumer<Subscription> deadLetters) {
    this.listener = listener;
    this.catalog = catalog;
    this.deadLetters = deadLetters;
  }

  @Override
  public void attemptEnded(Attempt attempt, long begunAtMillis, AttemptOutcome outcome) {
    guarded(() -> listener.attemptEnded(attempt, begunAtMillis, outcome));
  }

  @Override
  public void gaveUp(GivenUp delivery) {
    guarded(() -> listener.gaveUp(delivery));
    Subscription subscription = catalog.findSubscription(delivery.subscription());
    if (subscription != null) {
      deadLetters.accept(subscription);
    }
  }

  @Override
  public void suspensionChanged(SuspensionChange change) {
    Subscription subscription = catalog.findSubscription(change.subscription());
    if (subscription != null && subscription.settings().shards() > 1) {
      changedOnce(change);
    } else {
      guarded(() -> listener.suspensionChanged(change));
    }
  }

  /** One shard at a time: the last report must be of the last change. */
  private synchronized void changedOnce(SuspensionChange change) {
    Boolean now = change.suspension() != null;
    if (!now.equals(suspended.put(change.subscription(), now))) {
      guarded(() -> listener.suspensionChanged(change));
    }
  }

  @Override
  public void unsubscribed(long subscription) {
    suspended.remove(subscription);
    guarded(() -> listener.unsubscribed(subscription));
  }

  private static void guarded(Runnable report) {
    try {
      report.run();
    } catch (RuntimeException e) {
      LOG.error("a listener of deliveries has failed; the delivery itself is not affected", e);
    }
  }
}
