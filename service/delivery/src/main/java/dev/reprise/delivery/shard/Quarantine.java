package dev.reprise.delivery.shard;

import dev.reprise.core.StopReason;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.store.Store;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes care of records that cannot be read: one that a newer program wrote, one that is damaged,
 * one whose payload is gone. Each costs one delivery and never the shard. The record is kept as it
 * is inside the dead letter, so that a program which can read it gets it back by a redrive.
 */
final class Quarantine {
  private static final Logger LOG = LoggerFactory.getLogger(Quarantine.class);

  private Quarantine() {}

  /**
   * A dead letter in place of a pending delivery.
   *
   * @param record the record as it is stored
   * @param why what is wrong with it, for people
   */
  static Dead deadLetter(
      Store store,
      long subscription,
      MessageId message,
      byte[] record,
      long nowMillis,
      String why) {
    LOG.error(
        "message {} for subscription number {} becomes a dead letter, because its record cannot be"
            + " read: {}",
        message,
        subscription,
        why);
    return new Dead(
        message,
        nowMillis,
        attempts(store, subscription, message),
        StopReason.UNREADABLE,
        "the stored record cannot be read: " + why,
        record);
  }

  /** The attempts that the history speaks of. */
  private static int attempts(Store store, long subscription, MessageId message) {
    byte[] prefix = Keys.historyOf(subscription, message);
    try (Store.Cursor cursor = store.reverseRange(prefix, Keys.after(prefix))) {
      return cursor.next() ? Keys.historyAttempt(cursor.key()) : 0;
    }
  }

  /** Reads the record in a dead letter again; null if that is no better than before. */
  static @Nullable Pending restore(Dead dead, SharedPayloads payloads) {
    byte[] record = dead.payload();
    if (record == null) {
      return null;
    }
    try {
      Pending pending = Pending.decode(dead.key(/* subscription= */ 0), record);
      boolean whole = pending.payload() != null || payloads.find(dead.message()) != null;
      return whole ? pending : null;
    } catch (RuntimeException unreadable) {
      return null;
    }
  }

  /** Returns a subscription's ledger: as stored, new, or counted anew if it cannot be read. */
  static Counters counters(Store store, long subscription, byte @Nullable [] stored) {
    if (stored == null) {
      return new Counters();
    }
    Counters counters = Counters.read(stored);
    return counters != null ? counters : recount(store, subscription);
  }

  /** The ledger of a subscription whose own record cannot be read: what can be counted. */
  private static Counters recount(Store store, long subscription) {
    Counters counters = new Counters();
    counters.pending = count(store, Keys.PENDING, subscription);
    counters.deadLettered = count(store, Keys.DEAD_LETTER, subscription);
    counters.accepted = counters.pending + counters.deadLettered;
    counters.recounted = true;
    counters.historyUncounted = true;
    counters.deadLettersUncounted = counters.deadLettered > 0;
    LOG.error(
        "the ledger of subscription number {} cannot be read and begins anew with its {} pending"
            + " deliveries and {} dead letters",
        subscription,
        counters.pending,
        counters.deadLettered);
    return counters;
  }

  private static long count(Store store, byte kind, long subscription) {
    byte[] prefix = Keys.ofSubscription(kind, subscription);
    long count = 0;
    try (Store.Cursor cursor = store.range(prefix, Keys.after(prefix))) {
      while (cursor.next()) {
        count++;
      }
    }
    return count;
  }
}
