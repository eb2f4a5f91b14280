package dev.reprise.policy.preview;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.backoff.DelayRange;

/**
 * The average of all delays that can be drawn. A delay depends on one number that is drawn evenly,
 * and grows with it: as a straight line where there is jitter, and not at all where a cap cuts it
 * off. So its average is the area under that line, which is cut in halves until each is straight.
 */
final class ExpectedDelay {
  private static final double WHOLE = 0x1p64;

  private final Backoff backoff;
  private final int retry;

  private ExpectedDelay(Backoff backoff, int retry) {
    this.backoff = backoff;
    this.retry = retry;
  }

  static long nanos(Backoff backoff, int retry) {
    DelayRange range = backoff.range(retry);
    long lowest = range.lowestNanos();
    long highest = range.highestNanos();
    ExpectedDelay delay = new ExpectedDelay(backoff, retry);
    // All but the documented formulas draw evenly from their whole range.
    if (isMiddle(delay.at(Long.MIN_VALUE), lowest, highest)) {
      return middle(lowest, highest);
    }
    return lowest + Math.round(delay.areaAbove(lowest, 0, lowest, -1, highest, 1));
  }

  /**
   * Returns the area above the lowest delay between two numbers, with the whole width as 1.
   *
   * @param from the first number, as an unsigned one
   * @param to the last number, as an unsigned one
   */
  private double areaAbove(
      long lowest, long from, long delayFrom, long to, long delayTo, double width) {
    long half = from + ((to - from) >>> 1);
    long delayHalf = at(half);
    if (isMiddle(delayHalf, delayFrom, delayTo) || width * WHOLE <= 2) {
      return width * ((delayFrom - lowest) / 2.0 + (delayTo - lowest) / 2.0);
    }
    return areaAbove(lowest, from, delayFrom, half, delayHalf, width / 2)
        + areaAbove(lowest, half, delayHalf, to, delayTo, width / 2);
  }

  private long at(long drawn) {
    return backoff.delayNanos(retry, () -> drawn);
  }

  /** A delay is rounded to the nanosecond, and so is each end. */
  private static boolean isMiddle(long delay, long from, long to) {
    return Math.abs(delay - middle(from, to)) <= 1;
  }

  private static long middle(long from, long to) {
    return from + (to - from) / 2;
  }
}
