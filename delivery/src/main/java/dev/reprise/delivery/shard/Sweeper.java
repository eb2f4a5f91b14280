package dev.reprise.delivery.shard;

import dev.reprise.delivery.DeliveryState;
import dev.reprise.delivery.DeliveryState.Status;
import dev.reprise.delivery.HistoryEvent;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Removes what is too old: the history of deliveries that have ended, and idempotency keys. Works
 * in small parts, one a turn, so that deliveries never wait for it. Not safe for use by several
 * threads.
 */
final class Sweeper {
  private static final int ENTRIES_PER_TURN = 500;

  private final Store store;
  private final ShardSettings settings;
  private final LongPredicate subscriptionExists;
  private long nextMillis;
  private byte @Nullable [] position;

  Sweeper(Store store, ShardSettings settings, LongPredicate subscriptionExists, long nowMillis) {
    this.store = store;
    this.settings = settings;
    this.subscriptionExists = subscriptionExists;
    this.nextMillis = nowMillis + settings.sweepIntervalMillis();
  }

  /** Whether a sweep has begun and not ended. */
  boolean isUnderWay() {
    return position != null;
  }

  /** The wall time of the next sweep. */
  long nextMillis() {
    return nextMillis;
  }

  void step(Batch batch, long nowMillis) {
    if (position == null) {
      if (nowMillis < nextMillis) {
        return;
      }
      position = Keys.kind(Keys.HISTORY);
    }
    position =
        switch (position[0]) {
          case Keys.HISTORY -> sweepHistory(position, batch, nowMillis);
          case Keys.IDEMPOTENCY -> sweepKeys(position, batch, nowMillis);
          default -> sweepAccepted(position, batch, nowMillis);
        };
    if (position == null) {
      nextMillis = nowMillis + settings.sweepIntervalMillis();
    }
  }

  private byte[] sweepHistory(byte[] from, Batch batch, long nowMillis) {
    byte[] start = from;
    int left = ENTRIES_PER_TURN;
    while (left > 0) {
      byte[] next = sweepSubscription(start, left, batch, nowMillis);
      if (next == null) {
        return Keys.kind(Keys.IDEMPOTENCY);
      }
      // A seek costs more than an entry; a subscription with nothing old costs one seek.
      left -= 10;
      if (next.length != 9) {
        return next;
      }
      start = next;
    }
    return start;
  }

  /**
   * Goes on in one subscription's history.
   *
   * @return where to go on: a message, or a whole subscription (9 bytes), or null at the end
   */
  private byte @Nullable [] sweepSubscription(
      byte[] from, int budget, Batch batch, long nowMillis) {
    List<byte[]> group = new ArrayList<>();
    MessageId message = null;
    HistoryEvent last = null;
    int left = budget;
    try (Store.Cursor cursor = store.range(from, Keys.after(Keys.kind(Keys.HISTORY)))) {
      while (cursor.next()) {
        byte[] key = cursor.key();
        long subscription = Keys.subscription(key);
        MessageId next = Keys.historyMessage(key);
        boolean same =
            message != null
                && next.equals(message)
                && subscription == Keys.subscription(group.get(0));
        if (!same) {
          removeEnded(group, last, batch);
          group.clear();
          last = null;
          if (left <= 0) {
            return Keys.historyOf(subscription, next);
          }
          if (IdempotencyKeys.isTooOld(next, nowMillis, settings.historyMillis())) {
            message = next;
          } else {
            // Ids sort by time: nothing older follows in this subscription.
            return Keys.after(Keys.ofSubscription(Keys.HISTORY, subscription));
          }
        }
        left--;
        group.add(key);
        HistoryEvent event = HistoryRecord.decode(key, cursor.value());
        if (last == null || HistoryRecord.ORDER.compare(event, last) >= 0) {
          last = event;
        }
      }
    }
    removeEnded(group, last, batch);
    return null;
  }

  private void removeEnded(List<byte[]> group, @Nullable HistoryEvent last, Batch batch) {
    if (last == null) {
      return;
    }
    long subscription = Keys.subscription(group.get(0));
    MessageId message = Keys.historyMessage(group.get(0));
    DeliveryState after = last.after();
    boolean pending = after.status() == Status.PENDING;
    boolean kept =
        after.status() == Status.DEAD_LETTERED
            || (after.status() == Status.EXPIRED
                && store.get(Keys.timed(Keys.DEAD_LETTER, subscription, after.atMillis(), message))
                    != null);
    if ((pending || kept) && subscriptionExists.test(subscription)) {
      return;
    }
    group.forEach(batch::delete);
  }

  private byte[] sweepKeys(byte[] from, Batch batch, long nowMillis) {
    int left = ENTRIES_PER_TURN;
    try (Store.Cursor cursor = store.range(from, Keys.after(Keys.kind(Keys.IDEMPOTENCY)))) {
      while (cursor.next()) {
        if (left-- == 0) {
          return cursor.key();
        }
        MessageId message = IdempotencyKeys.Entry.decode(cursor.value()).message();
        if (IdempotencyKeys.isTooOld(message, nowMillis, settings.idempotencyMillis())) {
          batch.delete(cursor.key());
        }
      }
    }
    return Keys.kind(Keys.ACCEPTED);
  }

  private byte @Nullable [] sweepAccepted(byte[] from, Batch batch, long nowMillis) {
    int left = ENTRIES_PER_TURN;
    try (Store.Cursor cursor = store.range(from, Keys.after(Keys.kind(Keys.ACCEPTED)))) {
      while (cursor.next()) {
        MessageId message = Keys.messageOnly(cursor.key());
        // Longer than the key itself, which must not outlive its marker.
        long kept = settings.idempotencyMillis() + settings.sweepIntervalMillis();
        if (!IdempotencyKeys.isTooOld(message, nowMillis, kept)) {
          return null;
        }
        if (left-- == 0) {
          return cursor.key();
        }
        batch.delete(cursor.key());
      }
    }
    return null;
  }
}
