package dev.reprise.policy.preview;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.backoff.DelayRange;
import java.time.Duration;

/**
 * The range of a delay or of a sum of delays. Exact to the nanosecond.
 *
 * @param lowest the shortest possible, at least 0
 * @param expected the average, rounded to the nanosecond
 * @param highest the longest possible
 */
public record DelaySpan(Duration lowest, Duration expected, Duration highest) {
  static final DelaySpan ZERO = new DelaySpan(Duration.ZERO, Duration.ZERO, Duration.ZERO);

  private static final Duration MAX_DURATION = Duration.ofSeconds(Long.MAX_VALUE);

  /**
   * In so short a time even clients notice the loss that were not in step. Full jitter of 100 ms
   * begins at a nanosecond.
   */
  private static final Duration SAME_MOMENT = Duration.ofMillis(100).minusNanos(10);

  static DelaySpan of(Backoff backoff, int retry) {
    DelayRange range = backoff.range(retry);
    return new DelaySpan(
        Duration.ofNanos(range.lowestNanos()),
        Duration.ofNanos(ExpectedDelay.nanos(backoff, retry)),
        Duration.ofNanos(range.highestNanos()));
  }

  /** Returns true when the delay varies. */
  public boolean isJittered() {
    return !lowest.equals(highest);
  }

  Duration width() {
    return highest.minus(lowest);
  }

  /** Two clients whose delays differ by less than a quarter of them stay near to each other. */
  boolean isNarrow() {
    return !isJittered() || width().multipliedBy(4).compareTo(expected) < 0;
  }

  /** Returns true when clients that fail together make this retry together. */
  boolean isInStep() {
    return isNarrow() || width().compareTo(SAME_MOMENT) < 0;
  }

  /** Adds a delay as often as it comes; sums stop at the longest duration there is. */
  DelaySpan plus(DelaySpan delay, int times) {
    return new DelaySpan(
        sum(lowest, delay.lowest, times),
        sum(expected, delay.expected, times),
        sum(highest, delay.highest, times));
  }

  private static Duration sum(Duration sum, Duration delay, int times) {
    try {
      return sum.plus(delay.multipliedBy(times));
    } catch (ArithmeticException longerThanADuration) {
      return MAX_DURATION;
    }
  }

  static long saturatedMillis(Duration duration) {
    return duration.compareTo(Duration.ofMillis(Long.MAX_VALUE)) > 0
        ? Long.MAX_VALUE
        : duration.toMillis();
  }
}
