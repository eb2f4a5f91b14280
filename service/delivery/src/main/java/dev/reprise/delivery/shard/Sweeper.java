package dev.reprise.delivery.shard;

import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.Store;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Removes what is too old: the history of deliveries that have ended, dead letters, and idempotency
 * keys, ids of receipts; and history that is too much. While space is short, what is too old
 * becomes younger with each pass over the history, so that the oldest goes first, until there is
 * space or nothing left.
 *
 * <p>Works in small parts, one a turn, so that deliveries never wait for it. Not safe for use by
 * several threads.
 */
final class Sweeper {
  private static final int ENTRIES_PER_TURN = 500;

  /**
   * Ids of receipts are not in the order of time, so that all of them are looked at: so many times
   * while history of their age is kept.
   */
  private static final int RECEIPT_SWEEPS = 8;

  /** The time that removed history needs to become free space by the store's compaction. */
  private static final long RECLAIM_MILLIS = 5_000;

  /** The time after which a pass that has removed nothing is followed by one that takes more. */
  private static final long AGAIN_MILLIS = 100;

  /** The rest of a shard that has found nothing more to remove although space is short. */
  private static final long NOTHING_LEFT_MILLIS = 60_000;

  private final Store store;
  private final ShardSettings settings;
  private final History history;
  private final Receipts receipts;
  private final HistoryWalk walk;
  private final HistoryBudget budget;
  private boolean budgetIsNext;
  private long nextMillis;
  private long receiptsNextMillis;
  private byte @Nullable [] position;

  /** The history of deliveries that ended before this wall time goes in the present pass. */
  private long cutoffMillis;

  /** Whether the present pass was begun because space is short. */
  private boolean forSpace;

  private long forSpaceNextMillis;
  private long forSpaceSpanMillis;
  private long removedBefore;

  /** No delivery that the present pass has left was published before this wall time. */
  private long oldestLeftMillis;

  Sweeper(
      Store store,
      ShardSettings settings,
      History history,
      Receipts receipts,
      Map<Long, SubscriptionState> subscriptions,
      Consumer<SubscriptionState> changed,
      long nowMillis) {
    this.store = store;
    this.settings = settings;
    this.history = history;
    this.receipts = receipts;
    this.walk = new HistoryWalk(store, history, subscriptions, changed);
    this.budget = new HistoryBudget(history, walk, subscriptions, settings.sweepIntervalMillis());
    this.nextMillis = nowMillis + settings.sweepIntervalMillis();
    this.forSpaceSpanMillis = settings.historyMillis();
  }

  /** Whether a sweep has begun and not ended. */
  boolean isUnderWay() {
    return position != null;
  }

  /** The wall time of the next sweep. */
  long nextMillis() {
    long next = Math.min(nextMillis, budget.nextMillis());
    return history.mustGiveWay() ? Math.min(next, forSpaceNextMillis) : next;
  }

  void step(Batch batch, long nowMillis) {
    budgetIsNext = !budgetIsNext && budget.nextMillis() <= nowMillis;
    if (budgetIsNext) {
      // One of both in a turn: neither sees what the other removes in this very turn.
      budget.step(batch, nowMillis);
      return;
    }
    if (!history.mustGiveWay()) {
      forSpaceSpanMillis = settings.historyMillis();
      oldestLeftMillis = 0;
    }
    byte[] place = position != null ? position : begin(nowMillis);
    if (place == null) {
      return;
    }
    position =
        switch (place[0]) {
          case Keys.HISTORY -> sweepHistory(place, batch, nowMillis);
          case Keys.IDEMPOTENCY -> sweepKeys(place, batch, nowMillis);
          case Keys.ACCEPTED -> sweepAccepted(place, batch, nowMillis);
          case Keys.RECEIPT -> sweepReceipts(place, batch, nowMillis);
          default -> place; // Dead letters have their turn when all else is done.
        };
    if (position == null && !forSpace) {
      nextMillis = nowMillis + settings.sweepIntervalMillis();
    }
  }

  private byte @Nullable [] begin(long nowMillis) {
    forSpace = nowMillis < nextMillis;
    if (!forSpace) {
      cutoffMillis = nowMillis - settings.historyMillis();
    } else if (history.mustGiveWay() && nowMillis >= forSpaceNextMillis) {
      forSpaceSpanMillis = Math.min(forSpaceSpanMillis, nowMillis - oldestLeftMillis) / 2;
      oldestLeftMillis = nowMillis;
      cutoffMillis = nowMillis - forSpaceSpanMillis;
      removedBefore = history.removedBytes();
    } else {
      return null;
    }
    return Keys.kind(Keys.HISTORY);
  }

  private byte @Nullable [] sweepHistory(byte[] from, Batch batch, long nowMillis) {
    byte[] next =
        walk.run(
            from,
            Keys.after(Keys.kind(Keys.HISTORY)),
            ENTRIES_PER_TURN,
            new HistoryWalk.Visitor() {
              @Override
              public boolean wants(long subscription, MessageId message) {
                // Ids sort by time: nothing older follows in this subscription.
                long published = message.publishedAtMillis();
                oldestLeftMillis = Math.min(oldestLeftMillis, Math.max(published, cutoffMillis));
                return published < cutoffMillis;
              }

              @Override
              public void visit(HistoryWalk.Records records) {
                boolean ended = records.lastMillis() < cutoffMillis && !records.isOpen();
                if (ended || (forSpace && forSpaceSpanMillis == 0)) {
                  records.remove(batch);
                }
              }
            });
    if (next != null) {
      return next;
    }
    if (!forSpace) {
      return Keys.kind(Keys.DEAD_LETTER);
    }
    if (history.removedBytes() > removedBefore) {
      forSpaceNextMillis = nowMillis + RECLAIM_MILLIS;
    } else {
      boolean nothingLeft = forSpaceSpanMillis == 0;
      forSpaceNextMillis = nowMillis + (nothingLeft ? NOTHING_LEFT_MILLIS : AGAIN_MILLIS);
    }
    return null;
  }

  /**
   * Goes on with dead letters that were kept for long enough, if that is what the sweep has come
   * to. Called when a turn has taken in all else, so that no walk of this turn meets them.
   */
  void retire(DeadLetters deadLetters, long nowMillis) {
    if (position == null || position[0] != Keys.DEAD_LETTER) {
      return;
    }
    long kept = settings.deadLetterMillis();
    position =
        kept == 0
            ? Keys.kind(Keys.IDEMPOTENCY)
            : sweepDeadLetters(position, deadLetters, nowMillis - kept);
  }

  /** Retires the dead letters of one subscription. */
  interface DeadLetters {
    /**
     * Retires at most {@code limit} dead letters from {@code from} on that died before {@code
     * beforeMillis}.
     *
     * @return where this subscription's next part begins; null if there is none
     */
    byte @Nullable [] retire(long subscription, byte[] from, long beforeMillis, int limit);
  }

  private byte[] sweepDeadLetters(byte[] from, DeadLetters deadLetters, long cutoff) {
    byte[] place = from;
    byte[] end = Keys.after(Keys.kind(Keys.DEAD_LETTER));
    for (int seeks = 0; seeks < ENTRIES_PER_TURN / 10; seeks++) {
      byte[] key;
      try (Store.Cursor cursor = store.range(place, end)) {
        if (!cursor.next()) {
          return Keys.kind(Keys.IDEMPOTENCY);
        }
        key = cursor.key();
      }
      long subscription = Keys.subscription(key);
      if (Keys.time(key) < cutoff) {
        byte[] next = deadLetters.retire(subscription, key, cutoff, ENTRIES_PER_TURN);
        if (next != null) {
          return next;
        }
      }
      place = Keys.after(Keys.ofSubscription(Keys.DEAD_LETTER, subscription));
    }
    return place;
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

  private byte @Nullable [] sweepReceipts(byte[] from, Batch batch, long nowMillis) {
    return receipts.sweep(from, ENTRIES_PER_TURN, nowMillis - settings.historyMillis(), batch);
  }

  /** Where the sweep of receipts begins; null if it is not due. */
  private byte @Nullable [] receiptsIfDue(long nowMillis) {
    if (nowMillis < receiptsNextMillis) {
      return null;
    }
    receiptsNextMillis = nowMillis + settings.historyMillis() / RECEIPT_SWEEPS;
    return Keys.kind(Keys.RECEIPT);
  }

  private byte @Nullable [] sweepAccepted(byte[] from, Batch batch, long nowMillis) {
    int left = ENTRIES_PER_TURN;
    try (Store.Cursor cursor = store.range(from, Keys.after(Keys.kind(Keys.ACCEPTED)))) {
      while (cursor.next()) {
        MessageId message = Keys.messageOnly(cursor.key());
        // Longer than the key itself, which must not outlive its marker.
        long kept = settings.idempotencyMillis() + settings.sweepIntervalMillis();
        if (!IdempotencyKeys.isTooOld(message, nowMillis, kept)) {
          return receiptsIfDue(nowMillis);
        }
        if (left-- == 0) {
          return cursor.key();
        }
        batch.delete(cursor.key());
      }
    }
    return receiptsIfDue(nowMillis);
  }
}
