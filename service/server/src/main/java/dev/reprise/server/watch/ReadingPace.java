package dev.reprise.server.watch;

import java.util.function.LongSupplier;

/**
 * The pace at which figures are read anew: after a time at the earliest, and so seldom that reading
 * takes no more than a part of a processor. To be used by one thread at a time.
 */
final class ReadingPace {
  private final long minAgeNanos;
  private final int part;
  private final LongSupplier nanoTime;
  private long nextNanos;

  /**
   * The first reading is due at once.
   *
   * @param minAgeNanos the time between two readings at least
   * @param part reading takes up to this part of a processor, such as 50 for 2 %
   * @param nanoTime a monotonic clock
   */
  ReadingPace(long minAgeNanos, int part, LongSupplier nanoTime) {
    this.minAgeNanos = minAgeNanos;
    this.part = part;
    this.nanoTime = nanoTime;
    this.nextNanos = nanoTime.getAsLong();
  }

  /** Returns whether it is time to read again. */
  boolean isDue() {
    return nanoTime.getAsLong() - nextNanos >= 0;
  }

  /** Reads, and notes how long that took, whether it succeeded or not. */
  void read(Runnable reading) {
    long start = nanoTime.getAsLong();
    try {
      reading.run();
    } finally {
      long end = nanoTime.getAsLong();
      nextNanos = end + Math.max(minAgeNanos, (end - start) * part);
    }
  }
}
