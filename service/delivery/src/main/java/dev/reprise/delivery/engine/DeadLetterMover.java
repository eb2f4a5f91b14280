package dev.reprise.delivery.engine;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.delivery.DeadLetterFilter;
import dev.reprise.delivery.Position;
import dev.reprise.delivery.SweepProgress;
import dev.reprise.delivery.SweepRequest;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.host.SubscriptionShards;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands the dead letters of subscriptions with a {@code deadLetterTarget} over to it, on a thread
 * of its own: each that comes, soon after, and every half a minute those that are there already.
 * Another process may have had the shard, or may have changed the subscription. What cannot be
 * handed over now is tried again.
 */
final class DeadLetterMover {
  private static final Logger LOG = LoggerFactory.getLogger(DeadLetterMover.class);
  private static final int PART = 200;
  private static final Backoff AGAIN = Backoff.fixed(Duration.ofSeconds(5)).withEqualJitter();
  private static final long LOOK_MILLIS = 30_000;

  /** The time in which further dead letters gather, so that they are moved together. */
  private static final long GATHER_MILLIS = 20;

  private static final long MAX_WAIT_SECONDS = 60;

  private final DeliveryEngine engine;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          work -> {
            Thread daemon = new Thread(work, "reprise-dead-letters");
            daemon.setDaemon(true);
            return daemon;
          });

  /** The subscriptions that are about to be looked at. */
  private final Set<Long> waiting = ConcurrentHashMap.newKeySet();

  DeadLetterMover(DeliveryEngine engine) {
    this.engine = engine;
  }

  /** Begins to look for dead letters that are there already. */
  void start() {
    var unused =
        thread.scheduleWithFixedDelay(this::lookAtAll, 0, LOOK_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void lookAtAll() {
    try {
      engine.catalog().subscriptions().forEach(this::look);
    } catch (RuntimeException e) {
      // The next look follows all the same.
      LOG.warn("subscriptions could not be looked at: {}", e.getMessage());
    }
  }

  /** Looks soon whether the subscription has dead letters to hand over. Does not block. */
  void look(Subscription subscription) {
    if (subscription.settings().deadLetterTarget() != null && waiting.add(subscription.number())) {
      schedule(subscription.number(), GATHER_MILLIS);
    }
  }

  private void schedule(long number, long delayMillis) {
    if (!thread.isShutdown()) {
      var unused = thread.schedule(() -> move(number), delayMillis, TimeUnit.MILLISECONDS);
    }
  }

  private void move(long number) {
    // Before it is looked at, so that what comes meanwhile is looked at again.
    waiting.remove(number);
    Subscription from = engine.catalog().findSubscription(number);
    String id = from == null ? null : from.settings().deadLetterTarget();
    Subscription target = id == null ? null : engine.catalog().findById(id);
    if (from == null || target == null) {
      return;
    }
    try {
      moveAll(from, target);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) {
      LOG.warn(
          "dead letters of {} are not yet moved to {}: {}", from.id(), target.id(), e.getMessage());
      if (waiting.add(number)) {
        long delayNanos = AGAIN.delayNanos(1, ThreadLocalRandom.current());
        schedule(number, TimeUnit.NANOSECONDS.toMillis(delayNanos));
      }
    }
  }

  private void moveAll(Subscription from, Subscription target) throws Exception {
    SubscriptionShards shards = engine.shardsOf(from);
    for (int part = 0; part < shards.count(); part++) {
      int shard = shards.shard(part);
      if (engine.isHere(shard)) {
        moveAll(new LetterTransfer(engine, from, shard, target));
      }
    }
  }

  private void moveAll(LetterTransfer transfer) throws Exception {
    @Nullable Position next = null;
    // What dies while this goes on is looked at again.
    long now = engine.nowMillis() + 1;
    do {
      SweepProgress progress =
          transfer
              .run(new SweepRequest(DeadLetterFilter.ALL, now, next, PART, 0, 0))
              .toCompletableFuture()
              .get(MAX_WAIT_SECONDS, TimeUnit.SECONDS);
      next = progress.next();
    } while (next != null);
  }

  void close() {
    thread.shutdownNow();
  }
}
