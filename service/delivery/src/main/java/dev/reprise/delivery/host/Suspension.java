package dev.reprise.delivery.host;

import java.util.function.LongSupplier;

/**
 * Finds how long the machine was suspended: meanwhile the time since its start goes on, and the
 * monotonic clock does not. For one thread.
 */
final class Suspension {
  /** Two readings that are further apart than this say nothing: this thread stood still. */
  private static final long MAX_BETWEEN_NANOS = 100_000_000L;

  private static final long UNKNOWN = Long.MIN_VALUE;

  private final LongSupplier nanoTime;
  private final LongSupplier bootMillis;
  private final long originNanos;

  /** By as much the time since the machine's start was ahead of the monotonic clock. */
  private long gapMillis;

  /**
   * Begins now.
   *
   * @param bootMillis the time since the machine's start, 0 where that is not known
   */
  Suspension(LongSupplier nanoTime, LongSupplier bootMillis, long originNanos) {
    this.nanoTime = nanoTime;
    this.bootMillis = bootMillis;
    this.originNanos = originNanos;
    this.gapMillis = gap(originNanos);
  }

  /**
   * Returns for how many milliseconds it was suspended since it was last asked; 0 if that is not
   * known.
   *
   * @param nanos the monotonic time, just read
   */
  long since(long nanos) {
    long gap = gap(nanos);
    if (gap == UNKNOWN) {
      return 0;
    }
    long before = gapMillis;
    gapMillis = gap;
    return before == UNKNOWN ? 0 : Math.max(0, gap - before);
  }

  private long gap(long nanos) {
    long boot = bootMillis.getAsLong();
    return boot == 0 || nanoTime.getAsLong() - nanos > MAX_BETWEEN_NANOS
        ? UNKNOWN
        : boot - (nanos - originNanos) / 1_000_000;
  }
}
