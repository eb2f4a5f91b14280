package dev.reprise.delivery.shard;

import dev.reprise.delivery.store.Store;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the dead letters of a shard within their bound of bytes: the subscription that holds most
 * gives up its oldest, a part in each turn. Not safe for use by several threads.
 */
final class DeadLetterBudget {
  private static final int ENTRIES_PER_TURN = 500;

  /** The rest after all that a subscription held could not bring the bound. */
  private static final long NOTHING_LEFT_MILLIS = 100;

  private final long maxBytes;
  private long bytes;

  /** The subscription whose dead letters go, until it holds half of what it held; 0 for none. */
  private long holder;

  private long untilBytes;
  private long againMillis;
  private byte @Nullable [] position;

  /**
   * A budget of nothing yet.
   *
   * @param maxBytes 0 for no bound
   */
  DeadLetterBudget(long maxBytes) {
    this.maxBytes = maxBytes == 0 ? Long.MAX_VALUE : maxBytes;
  }

  /** Counts what a subscription has held before this process. */
  void opened(Store store, SubscriptionState state) {
    Counters counters = state.counters;
    if (counters.deadLettersUncounted) {
      counters.deadLetterBytes = count(store, state.spec.number());
    }
    bytes += counters.deadLetterBytes;
  }

  private static long count(Store store, long subscription) {
    byte[] prefix = Keys.ofSubscription(Keys.DEAD_LETTER, subscription);
    long counted = 0;
    try (Store.Cursor cursor = store.range(prefix, Keys.after(prefix))) {
      while (cursor.next()) {
        counted += cursor.key().length + cursor.value().length;
      }
    }
    return counted;
  }

  /** Never counts below 0: a record that was damaged may be longer than it was when it was kept. */
  void add(SubscriptionState state, long change) {
    Counters counters = state.counters;
    long before = counters.deadLetterBytes;
    counters.deadLetterBytes = Math.max(0, before + change);
    bytes += counters.deadLetterBytes - before;
  }

  /** A removed subscription's account is closed. */
  void closed(SubscriptionState state) {
    add(state, -state.counters.deadLetterBytes);
  }

  /** When dead letters have to go, wall time; {@code Long.MAX_VALUE} if they need not. */
  long nextMillis() {
    return bytes > maxBytes ? againMillis : Long.MAX_VALUE;
  }

  /** Retires a part of what is beyond the bound. */
  void step(
      Map<Long, SubscriptionState> subscriptions, Sweeper.DeadLetters letters, long nowMillis) {
    if (nextMillis() > nowMillis) {
      return;
    }
    againMillis = nowMillis;
    SubscriptionState state = subscriptions.get(holder);
    if (state == null || state.removing || state.counters.deadLetterBytes <= untilBytes) {
      state = largest(subscriptions);
      if (state == null) {
        againMillis = nowMillis + NOTHING_LEFT_MILLIS;
        return;
      }
      holder = state.spec.number();
      untilBytes = state.counters.deadLetterBytes / 2;
      position = null;
    }
    byte[] from =
        position != null
            ? position
            : Keys.timed(Keys.DEAD_LETTER, holder, 0, SubscriptionState.FIRST_MESSAGE);
    // What died in this very millisecond may have been written in this turn.
    position = letters.retire(holder, from, nowMillis, ENTRIES_PER_TURN);
    if (position == null) {
      untilBytes = Long.MAX_VALUE;
      againMillis = nowMillis + NOTHING_LEFT_MILLIS;
    }
  }

  private static @Nullable SubscriptionState largest(Map<Long, SubscriptionState> subscriptions) {
    SubscriptionState largest = null;
    for (SubscriptionState state : subscriptions.values()) {
      boolean holdsMore =
          largest == null || state.counters.deadLetterBytes > largest.counters.deadLetterBytes;
      if (holdsMore && !state.removing) {
        largest = state;
      }
    }
    return largest;
  }
}
