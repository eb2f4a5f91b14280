package dev.reprise.delivery.shard;

import dev.reprise.delivery.DeliveryState;
import dev.reprise.delivery.DeliveryState.Status;
import dev.reprise.delivery.HistoryEvent;
import dev.reprise.delivery.HistoryEvent.LoggedOutcome;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.Store;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reports on messages that come after their attempts: remembers under which ids they will come, and
 * makes each an event of its delivery. A report changes neither the delivery's state nor its
 * ledger. An id is good for one report.
 *
 * <p>Ids are kept for as long as history is. Those of a removed subscription are no longer used,
 * and go with the next sweep: a look for them at once would be one over all ids.
 *
 * <p>Not safe for use by several threads.
 */
final class Receipts {
  private static final byte[] NO_RESPONSE = {};

  private final Store store;
  private final Step step;
  private final History history;
  private final Map<Long, SubscriptionState> subscriptions;

  /** The records of this turn, which the store does not show yet; null for what it deleted. */
  private final Map<ByteBuffer, @Nullable AwaitedReceipt> thisTurn = new HashMap<>();

  Receipts(Store store, Step step, History history, Map<Long, SubscriptionState> subscriptions) {
    this.store = store;
    this.step = step;
    this.history = history;
    this.subscriptions = subscriptions;
  }

  /** An attempt has succeeded, and its carrier will report under these ids. */
  void await(Claim claim, List<String> ids, long endedAtMillis) {
    for (int part = 0; part < ids.size(); part++) {
      byte[] key = Keys.receipt(claim.group(), ids.get(part));
      AwaitedReceipt awaited =
          new AwaitedReceipt(
              claim.subscription(), claim.message(), claim.attempt(), part, endedAtMillis);
      step.batch.put(key, awaited.encode());
      thisTurn.put(ByteBuffer.wrap(key), awaited);
    }
  }

  void received(ShardInput.Received received) {
    boolean known = log(received);
    step.answers.add(() -> received.reply().complete(known));
  }

  /** Whether a delivery is known that the report is on. */
  private boolean log(ShardInput.Received received) {
    byte[] key = Keys.receipt(received.group(), received.receiptId());
    AwaitedReceipt awaited = find(key);
    if (awaited == null) {
      return false;
    }
    step.batch.delete(key);
    thisTurn.put(ByteBuffer.wrap(key), null);
    SubscriptionState state = subscriptions.get(awaited.subscription());
    if (state == null || state.removing) {
      return false;
    }
    if (received.delivered()) {
      state.counters.receiptsDelivered++;
    } else {
      state.counters.receiptsFailed++;
    }
    LoggedOutcome outcome =
        new LoggedOutcome(
            received.delivered(), received.status(), received.summary(), "", NO_RESPONSE, 0);
    long delivered = awaited.deliveredMillis();
    // A carrier's clock is its own; a report comes after the delivery and not after now.
    long at = Math.min(Math.max(received.atMillis(), delivered), step.nowMillis);
    HistoryEvent event =
        new HistoryEvent(
            HistoryEvent.Kind.RECEIPT,
            at,
            awaited.attempt(),
            outcome,
            new DeliveryState(Status.DELIVERED, delivered, null),
            null);
    history.logReceipt(step.batch, state, awaited.message(), event, awaited.part());
    step.touch(state);
    return true;
  }

  private @Nullable AwaitedReceipt find(byte[] key) {
    ByteBuffer wrapped = ByteBuffer.wrap(key);
    if (thisTurn.containsKey(wrapped)) {
      return thisTurn.get(wrapped);
    }
    byte[] stored = store.get(key);
    return stored == null ? null : AwaitedReceipt.read(stored);
  }

  void endTurn() {
    thisTurn.clear();
  }

  /**
   * Removes ids that are too old, or whose subscription has gone.
   *
   * @param from where this part begins
   * @param entries how many ids this part may look at, from 1
   * @param beforeMillis ids of deliveries before this wall time are too old
   * @return where the next part begins; null at the end
   */
  byte @Nullable [] sweep(byte[] from, int entries, long beforeMillis, Batch batch) {
    int left = entries;
    try (Store.Cursor cursor = store.range(from, Keys.after(Keys.kind(Keys.RECEIPT)))) {
      while (cursor.next()) {
        if (left-- == 0) {
          return cursor.key();
        }
        AwaitedReceipt awaited = AwaitedReceipt.read(cursor.value());
        if (awaited == null
            || awaited.deliveredMillis() < beforeMillis
            || !subscriptions.containsKey(awaited.subscription())) {
          batch.delete(cursor.key());
        }
      }
    }
    return null;
  }
}
