package dev.reprise.delivery.shard;

import dev.reprise.delivery.Ledger;

/** One subscription's ledger while its shard works on it. Not safe for use by several threads. */
final class Counters {
  private static final int VERSION = 1;

  long accepted;
  long pending;
  long delivered;
  long deadLettered;
  long discarded;
  long expired;
  long attempts;

  /** No pending delivery is due before this wall time: where a scan after a restart begins. */
  long lowDueMillis;

  Ledger toLedger() {
    return new Ledger(accepted, pending, delivered, deadLettered, discarded, expired, attempts);
  }

  byte[] encode() {
    return new Wire.Writer(40)
        .u8(VERSION)
        .number(lowDueMillis)
        .number(accepted)
        .number(pending)
        .number(delivered)
        .number(deadLettered)
        .number(discarded)
        .number(expired)
        .number(attempts)
        .toBytes();
  }

  static Counters decode(byte[] value) {
    Wire.Reader in = new Wire.Reader(value).version(VERSION);
    Counters counters = new Counters();
    counters.lowDueMillis = in.number();
    counters.accepted = in.number();
    counters.pending = in.number();
    counters.delivered = in.number();
    counters.deadLettered = in.number();
    counters.discarded = in.number();
    counters.expired = in.number();
    counters.attempts = in.number();
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
  }
}
