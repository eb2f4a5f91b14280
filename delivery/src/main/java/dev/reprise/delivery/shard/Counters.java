package dev.reprise.delivery.shard;

import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.ReceiptCounts;
import org.jspecify.annotations.Nullable;

/**
 * One subscription's ledger while its shard works on it, and what else of the subscription survives
 * a restart. Not safe for use by several threads.
 */
final class Counters {
  private static final int VERSION = 3;

  /** Had nothing behind {@link #attempts}. */
  private static final int LEDGER_ONLY = 1;

  /** Had nothing behind {@link #pace}. */
  private static final int WITHOUT_RECEIPTS = 2;

  long accepted;
  long pending;
  long delivered;
  long deadLettered;
  long discarded;
  long expired;
  long attempts;

  /** Reports of carriers that a message, or a part of it, has reached its endpoint. */
  long receiptsDelivered;

  /** Reports that it has not. */
  long receiptsFailed;

  /** No pending delivery is due before this wall time: where a scan after a restart begins. */
  long lowDueMillis;

  /** Until when the endpoint asked for silence, wall time; 0 if it did not. */
  long pausedUntilMillis;

  /** Bytes of keys and values in the subscription's history. */
  long historyBytes;

  /** Whether there may be history that an earlier program wrote and did not count. Not stored. */
  boolean historyUncounted;

  Pace pace = Pace.UNKNOWN;

  /** Whether the stored record could not be read, and is to be written anew. Not stored. */
  boolean recounted;

  Ledger toLedger() {
    return new Ledger(accepted, pending, delivered, deadLettered, discarded, expired, attempts);
  }

  ReceiptCounts toReceiptCounts() {
    return new ReceiptCounts(receiptsDelivered, receiptsFailed);
  }

  byte[] encode() {
    return new RecordCodec.Writer(64)
        .u8(VERSION)
        .number(lowDueMillis)
        .number(accepted)
        .number(pending)
        .number(delivered)
        .number(deadLettered)
        .number(discarded)
        .number(expired)
        .number(attempts)
        .number(pausedUntilMillis)
        .number(historyBytes)
        .u8(Code.PACE.of(pace))
        .number(receiptsDelivered)
        .number(receiptsFailed)
        .toBytes();
  }

  /** Reads a record; null for one that cannot be read. */
  static @Nullable Counters read(byte[] value) {
    try {
      return decode(value);
    } catch (RuntimeException unreadable) {
      return null;
    }
  }

  static Counters decode(byte[] value) {
    RecordCodec.Reader in = new RecordCodec.Reader(value);
    int version = in.versionBetween(LEDGER_ONLY, VERSION);
    Counters counters = new Counters();
    counters.lowDueMillis = in.number();
    counters.accepted = in.number();
    counters.pending = in.number();
    counters.delivered = in.number();
    counters.deadLettered = in.number();
    counters.discarded = in.number();
    counters.expired = in.number();
    counters.attempts = in.number();
    if (version > LEDGER_ONLY) {
      counters.pausedUntilMillis = in.number();
      counters.historyBytes = in.number();
      counters.pace = Code.PACE.at(in.u8());
    } else {
      counters.historyUncounted = counters.attempts > 0;
    }
    if (version > WITHOUT_RECEIPTS) {
      counters.receiptsDelivered = in.number();
      counters.receiptsFailed = in.number();
    }
    return counters;
  }

  void add(Counters other) {
    accepted += other.accepted;
    pending += other.pending;
    delivered += other.delivered;
    deadLettered += other.deadLettered;
    discarded += other.discarded;
    expired += other.expired;
    attempts += other.attempts;
    receiptsDelivered += other.receiptsDelivered;
    receiptsFailed += other.receiptsFailed;
    historyBytes += other.historyBytes;
  }
}
