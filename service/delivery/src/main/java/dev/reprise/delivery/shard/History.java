package dev.reprise.delivery.shard;

import dev.reprise.delivery.HistoryEvent;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.Store;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A shard's history: what is written into it, what is taken out, and how many bytes of it each
 * subscription holds. Not safe for use by several threads.
 */
final class History {
  /** The history keeps an unlimited schedule's first attempts and this many of its last. */
  private static final int FIRST_ATTEMPTS_KEPT = 10;

  private static final int LAST_ATTEMPTS_KEPT = 100;

  /** A subscription that holds more than this part of the bound is given fewer excerpts. */
  private static final int SHARE = 8;

  /** Less than a block of a table makes no space. */
  private static final long WORTH_REMOVING_BYTES = 8 << 10;

  private final Store store;
  private final long maxBytes;

  /** Keys taken out in this turn, which the store still shows. */
  private final Set<ByteBuffer> removedThisTurn = new HashSet<>();

  private long bytes;
  private long removedBytes;
  private boolean uncounted;
  private boolean spaceIsShort;

  /** A history of at most {@code maxBytes}; 0 for no bound. */
  History(Store store, long maxBytes) {
    this.store = store;
    this.maxBytes = maxBytes == 0 ? Long.MAX_VALUE : maxBytes;
  }

  /** The bytes that all subscriptions of the shard hold together. */
  long bytes() {
    return bytes;
  }

  /** The bytes that were ever taken out, those that were never counted included. */
  long removedBytes() {
    return removedBytes;
  }

  long maxBytes() {
    return maxBytes;
  }

  /** Whether removing some of it makes space that is needed. */
  boolean mustGiveWay() {
    return spaceIsShort && (uncounted || bytes >= WORTH_REMOVING_BYTES);
  }

  /** Whether space is needed, and removing history makes none any more. */
  boolean hasGivenWay() {
    return spaceIsShort && !mustGiveWay();
  }

  void spaceIsShort(boolean isShort) {
    spaceIsShort = isShort;
  }

  /** Counts what a subscription has held before this process. */
  void opened(Counters counters) {
    bytes += counters.historyBytes;
    uncounted |= counters.historyUncounted;
  }

  /** A removed subscription's account is closed. */
  void closed(Counters counters) {
    bytes -= counters.historyBytes;
    counters.historyBytes = 0;
  }

  void log(Batch batch, SubscriptionState state, MessageId message, HistoryEvent event) {
    long number = state.spec.number();
    byte[] key = HistoryRecord.key(number, message, event);
    byte[] value =
        HistoryRecord.encode(keepsResponse(state, event) ? event : event.withoutResponse());
    if (event.kind() == HistoryEvent.Kind.ATTEMPT) {
      trim(batch, state, message, event.attempt() - LAST_ATTEMPTS_KEPT);
    } else {
      // Redriven and expired twice without an attempt in between: the later one takes its place.
      remove(batch, state, key);
    }
    batch.put(key, value);
    add(state.counters, key.length + value.length);
  }

  /** Logs a report on one part of a message. */
  void logReceipt(
      Batch batch, SubscriptionState state, MessageId message, HistoryEvent event, int part) {
    int kind = Code.EVENT.of(event.kind());
    byte[] key = Keys.historyOfReceipt(state.spec.number(), message, event.attempt(), kind, part);
    byte[] value = HistoryRecord.encode(event);
    remove(batch, state, key);
    batch.put(key, value);
    add(state.counters, key.length + value.length);
  }

  /**
   * Responses are most of the bytes. A subscription that holds more than its share keeps those of
   * first attempts and of attempts after which nothing waits: what a person looks for.
   */
  private boolean keepsResponse(SubscriptionState state, HistoryEvent event) {
    if (spaceIsShort) {
      return false;
    }
    boolean modest = state.counters.historyBytes <= maxBytes / SHARE;
    return modest || event.attempt() == 1 || event.due() == null;
  }

  private void trim(Batch batch, SubscriptionState state, MessageId message, int tooOld) {
    if (tooOld > FIRST_ATTEMPTS_KEPT) {
      int kind = Code.EVENT.of(HistoryEvent.Kind.ATTEMPT);
      remove(batch, state, Keys.history(state.spec.number(), message, tooOld, kind));
    }
  }

  private void remove(Batch batch, SubscriptionState state, byte[] key) {
    byte[] value = store.get(key);
    if (value != null) {
      remove(batch, state, key, value.length);
    }
  }

  /** Takes out a record that the store holds; {@code state} is null if the subscription is gone. */
  void remove(Batch batch, @Nullable SubscriptionState state, byte[] key, int valueBytes) {
    if (removedThisTurn.add(ByteBuffer.wrap(key))) {
      batch.delete(key);
      removedBytes += key.length + valueBytes;
      if (state != null) {
        add(state.counters, -(key.length + valueBytes));
      }
    }
  }

  /**
   * Keeps an account from going below 0: history in a store of an earlier program was never
   * counted.
   */
  private void add(Counters counters, long change) {
    long before = counters.historyBytes;
    counters.historyBytes = Math.max(0, before + change);
    bytes += counters.historyBytes - before;
  }

  void endTurn() {
    removedThisTurn.clear();
  }
}
