package dev.reprise.delivery.shard;

import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.Suspension;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the model knows of one subscription: its deliveries, its ledger, and what its endpoint may
 * bear just now.
 */
final class ModelSubscription {
  static final long WINDOW_NANOS = 10_000_000_000L;

  final long number;
  final Map<MessageId, ModelDelivery> all = new HashMap<>();
  final Map<MessageId, ModelDelivery> open = new HashMap<>();
  final Map<MessageId, Claim> inFlight = new HashMap<>();

  SubscriptionSpec spec;

  /** Its arithmetic has a test of its own; here it shows whether the shard feeds and heeds it. */
  Concurrency concurrency;

  long pausedUntilMillis;

  /** When attempts started in the last ten seconds, monotonic. */
  final ArrayDeque<Long> starts = new ArrayDeque<>();

  /** Since when nothing but the throttle holds due deliveries back; MAX_VALUE if that is not so. */
  long throttledSinceNanos = Long.MAX_VALUE;

  @Nullable Suspension suspension;

  final ModelRefusals refusals = new ModelRefusals();

  /** How it was suspended when this turn began, and how much was held. */
  @Nullable Suspension suspensionBefore;

  long heldBefore;

  /** Deliveries under way of which somebody wants no further attempt. */
  final Set<MessageId> cancelled = new HashSet<>();

  boolean removing;
  int removedTurn;
  int walkedTurn = -1;

  long accepted;
  long pending;
  long delivered;
  long deadLettered;
  long discarded;
  long expired;
  long moved;
  long attempts;
  long receiptsDelivered;
  long receiptsFailed;

  ModelSubscription(SubscriptionSpec spec) {
    this.number = spec.number();
    this.spec = spec;
    this.concurrency = new Concurrency(spec.maxInFlight());
  }

  void configure(SubscriptionSpec next) {
    if (next.maxPerSecond() != spec.maxPerSecond()) {
      // The limit is another one, so its window begins here.
      starts.clear();
      throttledSinceNanos = Long.MAX_VALUE;
    }
    spec = next;
    concurrency.max(next.maxInFlight());
  }

  /** The process died: what only memory knew is gone, what was really sent was sent. */
  void restart() {
    inFlight.clear();
    cancelled.clear();
    concurrency = new Concurrency(spec.maxInFlight());
    throttledSinceNanos = Long.MAX_VALUE;
    walkedTurn = -1;
  }

  /** What waits without being attempted just now. */
  long held() {
    return pending - inFlight.size();
  }

  boolean hasRoom() {
    return inFlight.size() < (refusals.isHeld() ? 1 : concurrency.limit());
  }

  long deadline(ModelDelivery delivery) {
    return spec.lifetimeMillis() == 0 || delivery.unreadable
        ? Long.MAX_VALUE
        : delivery.sinceMillis + spec.lifetimeMillis();
  }

  Ledger ledger() {
    return new Ledger(
        accepted, pending, delivered, deadLettered, discarded, expired, moved, attempts);
  }
}
