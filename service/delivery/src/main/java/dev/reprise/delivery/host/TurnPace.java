package dev.reprise.delivery.host;

/**
 * Keeps turns of a shard apart. Where a write costs much however little is in it, turns that are
 * further apart take in more and cost less. Safe for use by many threads.
 */
@FunctionalInterface
public interface TurnPace {
  /** The next turn begins as soon as there is something to do. */
  TurnPace AT_ONCE = nowNanos -> nowNanos;

  /**
   * Books the next turn of a shard that has just written.
   *
   * @param nowNanos the time by {@link System#nanoTime}
   * @return when it may begin, by the same clock
   */
  long next(long nowNanos);
}
