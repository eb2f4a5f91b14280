package dev.reprise.delivery.shard;

import dev.reprise.delivery.DeliveryState;
import dev.reprise.delivery.DeliveryState.Status;
import dev.reprise.delivery.HistoryEvent;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A walk over the stored history, delivery by delivery, in parts of one turn each. */
final class HistoryWalk {
  /** A seek costs more than an entry. */
  private static final int ENTRIES_PER_SEEK = 10;

  private final Store store;
  private final History history;
  private final Map<Long, SubscriptionState> subscriptions;
  private final Consumer<SubscriptionState> changed;

  /** {@code changed} is notified of each subscription whose history has lost something. */
  HistoryWalk(
      Store store,
      History history,
      Map<Long, SubscriptionState> subscriptions,
      Consumer<SubscriptionState> changed) {
    this.store = store;
    this.history = history;
    this.subscriptions = subscriptions;
    this.changed = changed;
  }

  /** Decides what of the history goes. */
  interface Visitor {
    /** Whether to look at this delivery; if not, the rest of its subscription is passed over. */
    boolean wants(long subscription, MessageId message);

    void visit(Records records);
  }

  /** One delivery's records. */
  final class Records {
    final long subscription;
    final MessageId message;
    private final List<byte[]> keys = new ArrayList<>();
    private final List<Integer> valueBytes = new ArrayList<>();
    private final List<DeliveryState> states = new ArrayList<>();
    private @Nullable HistoryEvent last;
    private byte @Nullable [] lastKey;

    private Records(long subscription, MessageId message) {
      this.subscription = subscription;
      this.message = message;
    }

    private boolean belongs(byte[] key) {
      return Keys.subscription(key) == subscription && Keys.historyMessage(key).equals(message);
    }

    private void add(byte[] key, byte[] value) {
      keys.add(key);
      valueBytes.add(value.length);
      HistoryEvent event;
      try {
        event = HistoryRecord.decode(key, value);
      } catch (RuntimeException e) {
        return; // An unreadable record tells nothing and goes with the others.
      }
      states.add(event.after());
      if (last == null || HistoryRecord.ORDER.compare(event, last) >= 0) {
        last = event;
        lastKey = key;
      }
    }

    /** When the last of it happened, wall time; 0 if no record can be read. */
    long lastMillis() {
      return last == null ? 0 : last.atMillis();
    }

    /**
     * Whether the delivery may still be attempted, perhaps after a redrive. Times around a clock
     * that was set back do not tell what came last, so the delivery's own record does.
     */
    boolean isOpen() {
      if (last == null || !subscriptions.containsKey(subscription)) {
        return false;
      }
      if (isStored(last.after())) {
        return true;
      }
      return isKept(last.after().status()) && states.stream().anyMatch(this::isStored);
    }

    private boolean isStored(DeliveryState state) {
      byte kind = state.status() == Status.PENDING ? Keys.PENDING : Keys.DEAD_LETTER;
      return isKept(state.status())
          && store.get(Keys.timed(kind, subscription, state.atMillis(), message)) != null;
    }

    /** Whether a delivery in this state has a record of its own. */
    private static boolean isKept(Status status) {
      return switch (status) {
        case PENDING, DEAD_LETTERED, EXPIRED -> true;
        case DELIVERED, DISCARDED, MOVED -> false;
      };
    }

    /** Takes out all records; of an open delivery, all attempts but the last event. */
    void remove(Batch batch) {
      SubscriptionState state = subscriptions.get(subscription);
      boolean open = isOpen();
      int attempt = Code.EVENT.of(HistoryEvent.Kind.ATTEMPT);
      for (int i = 0; i < keys.size(); i++) {
        byte[] key = keys.get(i);
        if (!open || (key != lastKey && Keys.historyKind(key) == attempt)) {
          history.remove(batch, state, key, valueBytes.get(i));
          if (state != null) {
            changed.accept(state);
          }
        }
      }
    }
  }

  /**
   * Goes on at {@code from}, over about as many records as {@code entries}.
   *
   * @return where the next part begins; null if {@code to} was reached
   */
  byte @Nullable [] run(byte[] from, byte[] to, int entries, Visitor visitor) {
    byte[] place = from;
    int left = entries;
    while (left > 0) {
      Records records = null;
      byte[] skipTo = null;
      try (Store.Cursor cursor = store.range(place, to)) {
        while (cursor.next()) {
          byte[] key = cursor.key();
          if (records == null || !records.belongs(key)) {
            if (records != null) {
              visitor.visit(records);
              records = null;
            }
            long subscription = Keys.subscription(key);
            MessageId message = Keys.historyMessage(key);
            if (left <= 0) {
              return Keys.historyOf(subscription, message);
            }
            if (!visitor.wants(subscription, message)) {
              skipTo = Keys.after(Keys.ofSubscription(Keys.HISTORY, subscription));
              break;
            }
            records = new Records(subscription, message);
          }
          left--;
          records.add(key, cursor.value());
        }
      }
      if (records != null) {
        visitor.visit(records);
      }
      if (skipTo == null) {
        return null;
      }
      left -= ENTRIES_PER_SEEK;
      place = skipTo;
    }
    return place;
  }
}
