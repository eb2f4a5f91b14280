package dev.reprise.delivery.shard;

import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.store.Batch;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the history within its bound of bytes. The subscriptions that hold most are cut down to one
 * level, each from its oldest delivery on, so that what others hold stays. Deliveries that are
 * pending or kept as dead letters keep the last thing that happened to them.
 *
 * <p>Works in small parts, one a turn. Not safe for use by several threads.
 */
final class HistoryBudget {
  private static final int ENTRIES_PER_TURN = 1000;

  private final History history;
  private final HistoryWalk walk;
  private final Map<Long, SubscriptionState> subscriptions;

  /** The time after which history beyond the bound is tried again, once no more of it can go. */
  private final long pauseMillis;

  private final Deque<Long> over = new ArrayDeque<>();
  private long levelBytes;
  private long removedBefore;
  private long excessBytes;
  private byte @Nullable [] position;
  private long nextMillis;

  HistoryBudget(
      History history,
      HistoryWalk walk,
      Map<Long, SubscriptionState> subscriptions,
      long pauseMillis) {
    this.history = history;
    this.walk = walk;
    this.subscriptions = subscriptions;
    this.pauseMillis = pauseMillis;
  }

  /** When there is something to do, wall time; {@code Long.MAX_VALUE} if there is nothing. */
  long nextMillis() {
    return !over.isEmpty() ? 0 : isOver() ? nextMillis : Long.MAX_VALUE;
  }

  private boolean isOver() {
    return history.bytes() > history.maxBytes();
  }

  void step(Batch batch, long nowMillis) {
    if (over.isEmpty()) {
      if (!isOver() || nowMillis < nextMillis) {
        return;
      }
      plan();
    }
    int left = ENTRIES_PER_TURN;
    while (left > 0 && !over.isEmpty()) {
      // Whatever is left of a subscription's part is not worth counting.
      left -= ENTRIES_PER_TURN / 20;
      cut(over.element(), left, batch);
    }
    if (over.isEmpty() && history.removedBytes() - removedBefore < excessBytes / 2) {
      nextMillis = nowMillis + pauseMillis;
    }
  }

  /** The level at which the sum of all is nine tenths of the bound. */
  private void plan() {
    long[] held = new long[subscriptions.size()];
    int count = 0;
    for (SubscriptionState state : subscriptions.values()) {
      held[count++] = state.counters.historyBytes;
    }
    Arrays.sort(held);
    long wanted = history.maxBytes() - history.maxBytes() / 10;
    levelBytes = level(held, wanted);
    excessBytes = history.bytes() - wanted;
    removedBefore = history.removedBytes();
    subscriptions.forEach(
        (number, state) -> {
          if (state.counters.historyBytes > levelBytes && !state.removing) {
            over.add(number);
          }
        });
  }

  /** The highest level for which the sum of what lies below it is at most {@code total}. */
  static long level(long[] ascending, long total) {
    long left = total;
    for (int i = 0; i < ascending.length; i++) {
      long level = left / (ascending.length - i);
      if (ascending[i] >= level) {
        return level;
      }
      left -= ascending[i];
    }
    return Long.MAX_VALUE;
  }

  private void cut(long number, int entries, Batch batch) {
    SubscriptionState state = subscriptions.get(number);
    byte[] prefix = Keys.ofSubscription(Keys.HISTORY, number);
    byte[] from = position == null ? prefix : position;
    position =
        state == null
            ? null
            : walk.run(
                from,
                Keys.after(prefix),
                entries,
                new HistoryWalk.Visitor() {
                  @Override
                  public boolean wants(long subscription, MessageId message) {
                    return state.counters.historyBytes > levelBytes;
                  }

                  @Override
                  public void visit(HistoryWalk.Records records) {
                    records.remove(batch);
                  }
                });
    if (position == null || state == null || state.counters.historyBytes <= levelBytes) {
      position = null;
      over.remove();
    }
  }
}
