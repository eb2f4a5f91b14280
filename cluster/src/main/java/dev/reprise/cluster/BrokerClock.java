package dev.reprise.cluster;

import java.util.function.LongSupplier;

/**
 * Compares the clock of this node with the brokers', by the times at which they appended what it
 * sent. Safe for use by many threads.
 */
final class BrokerClock {
  /** A clock that is off by more makes deliveries early here, or late after the next take-over. */
  static final long MAX_OFF_MILLIS = 10_000;

  private final LongSupplier wall;
  private volatile long offMillis;
  private volatile long brokerMillis;

  /** Compares the clock of this machine. */
  BrokerClock() {
    this(System::currentTimeMillis);
  }

  /** Compares another clock, in milliseconds of wall time. */
  BrokerClock(LongSupplier wall) {
    this.wall = wall;
  }

  /** Returns the present time by this node's clock. */
  long nodeMillis() {
    return wall.getAsLong();
  }

  /**
   * Something was appended.
   *
   * @param sentMillis when it was sent, by this node's clock
   * @param ackedMillis when that was known, by this node's clock
   * @param appendedMillis by the broker's clock
   */
  void appended(long sentMillis, long ackedMillis, long appendedMillis) {
    brokerMillis = appendedMillis;
    if (appendedMillis > ackedMillis) {
      offMillis = ackedMillis - appendedMillis;
    } else {
      offMillis = Math.max(0, sentMillis - appendedMillis);
    }
  }

  /** Returns the time of the last append, by the broker's clock; 0 if there was none. */
  long brokerMillis() {
    return brokerMillis;
  }

  /** Returns by how much this node's clock is certainly ahead; less than 0 if it is behind. */
  long offMillis() {
    return offMillis;
  }

  /** Returns whether this node may own shards. */
  boolean isRight() {
    return Math.abs(offMillis) <= MAX_OFF_MILLIS;
  }
}
