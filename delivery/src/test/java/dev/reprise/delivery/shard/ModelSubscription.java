package dev.reprise.delivery.shard;

import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.MessageId;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * What the model knows of one subscription: its deliveries, its ledger, and what its endpoint may
 * bear just now.
 */
final class ModelSubscription {
  static final long WINDOW_NANOS = 10_000_000_000L;
  private static final int INITIAL_LIMIT = 16;

  final long number;
  final Map<MessageId, ModelDelivery> all = new HashMap<>();
  final Map<MessageId, ModelDelivery> open = new HashMap<>();
  final Map<MessageId, Claim> inFlight = new HashMap<>();

  SubscriptionSpec spec;
  int limit;
  long lastCut = -1;
  long pausedUntilMillis;

  /** When attempts started in the last ten seconds, monotonic. */
  final ArrayDeque<Long> starts = new ArrayDeque<>();

  /** Since when nothing but the throttle holds due deliveries back; MAX_VALUE if that is not so. */
  long throttledSinceNanos = Long.MAX_VALUE;

  boolean removing;
  int removedTurn;
  int walkedTurn = -1;

  long accepted;
  long pending;
  long delivered;
  long deadLettered;
  long discarded;
  long expired;
  long attempts;

  ModelSubscription(SubscriptionSpec spec) {
    this.number = spec.number();
    this.spec = spec;
    this.limit = Math.min(INITIAL_LIMIT, spec.maxInFlight());
  }

  void configure(SubscriptionSpec next) {
    if (next.maxPerSecond() != spec.maxPerSecond()) {
      // The limit is another one, so its window begins here.
      starts.clear();
      throttledSinceNanos = Long.MAX_VALUE;
    }
    spec = next;
    limit = Math.min(limit, next.maxInFlight());
  }

  /** The process died: what only memory knew is gone, what was really sent was sent. */
  void restart() {
    inFlight.clear();
    limit = Math.min(INITIAL_LIMIT, spec.maxInFlight());
    lastCut = -1;
    pausedUntilMillis = 0;
    throttledSinceNanos = Long.MAX_VALUE;
    walkedTurn = -1;
  }

  void succeeded() {
    limit = Math.min(spec.maxInFlight(), limit + 1);
  }

  void failed(long startNumber, long lastStartNumber) {
    if (startNumber > lastCut) {
      limit = Math.max(1, limit / 2);
      lastCut = lastStartNumber;
    }
  }

  long deadline(ModelDelivery delivery) {
    return spec.lifetimeMillis() == 0
        ? Long.MAX_VALUE
        : delivery.sinceMillis + spec.lifetimeMillis();
  }

  Ledger ledger() {
    return new Ledger(accepted, pending, delivered, deadLettered, discarded, expired, attempts);
  }
}
