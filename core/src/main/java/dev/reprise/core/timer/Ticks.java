package dev.reprise.core.timer;

/**
 * Translates between the ticks of a {@link TimerWheel} and the nanoseconds of a monotonic clock. A
 * deadline is rounded up and the time is rounded down, so that nothing is early.
 *
 * <p>A tick is 2¹⁸ ns, about a quarter of a millisecond: fine enough for delays below one, and
 * coarse enough that a hundred thousand timeouts wake a thread four times a millisecond at most.
 *
 * @param startNanos the time of tick 0, by a clock that may wrap around
 */
record Ticks(long startNanos) {
  private static final int SHIFT = 18;

  /** The longest delay that is kept to the tick: 292 years. */
  private static final long LAST_TICK = Long.MAX_VALUE >>> SHIFT;

  static final long NANOS_PER_TICK = 1L << SHIFT;

  /** Returns the tick that has begun. */
  long at(long nowNanos) {
    return (nowNanos - startNanos) >>> SHIFT;
  }

  /** Returns the first tick that begins when the delay is over, or later. */
  long after(long nowNanos, long delayNanos) {
    // A delay of 0 does not wait for the next tick either.
    if (delayNanos == 0) {
      return at(nowNanos);
    }
    // The sum may pass the largest long, but as an unsigned number it is right.
    long dueNanos = nowNanos - startNanos + delayNanos;
    return Math.min(((dueNanos - 1) >>> SHIFT) + 1, LAST_TICK);
  }

  /** Returns the time until the tick begins, 0 or less when it has begun. */
  long nanosUntil(long tick, long nowNanos) {
    return (tick << SHIFT) - (nowNanos - startNanos);
  }
}
