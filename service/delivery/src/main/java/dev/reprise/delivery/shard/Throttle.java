package dev.reprise.delivery.shard;

import dev.reprise.core.InvalidSettingException;
import java.util.Arrays;

/**
 * Keeps a subscription or a group to {@code maxReceivesPerSecond} of Amazon SNS delivery policies,
 * as an average over any ten seconds. Two rules together: starts are spaced evenly, and no start
 * may be the (10 × rate + 1)-th within ten seconds. The first keeps the stream smooth; the second
 * makes the limit exact when the caller comes late and the spacing has to catch up.
 *
 * <p>Pure: times are monotonic nanoseconds handed in by the caller. Memory follows the starts of
 * the last ten seconds. Not safe for use by several threads.
 */
final class Throttle {
  static final long WINDOW_NANOS = 10_000_000_000L;

  /** The lag of the spacing that is still caught up: the pauses of a loaded machine. */
  private static final long CATCH_UP_NANOS = 100_000_000L;

  private final long maxInWindow;
  private final long windowNanos;
  private final long spacingNanos;
  private long nextNanos;

  private long[] starts = new long[16];
  private int first;
  private int count;

  /** A throttle under which nothing has started yet; the first start is allowed at once. */
  Throttle(long maxPerSecond, long nowNanos) {
    this(maxPerSecond, 1, nowNanos);
  }

  /**
   * A throttle's part of a rate that several share out evenly. Where that is less than one start in
   * ten seconds, each has one in as long as it takes: together they keep to the rate on average,
   * and not over any ten seconds.
   */
  Throttle(long maxPerSecond, int sharers, long nowNanos) {
    if (maxPerSecond < 1) {
      throw new InvalidSettingException("maxPerSecond", maxPerSecond, "must be >= 1");
    }
    long all = maxPerSecond > Integer.MAX_VALUE ? Long.MAX_VALUE : maxPerSecond * 10;
    maxInWindow = Math.max(1, all / sharers);
    windowNanos = all >= sharers ? WINDOW_NANOS : WINDOW_NANOS * sharers / all;
    spacingNanos = 1 + (windowNanos - 1) / maxInWindow;
    nextNanos = nowNanos;
  }

  /**
   * A throttle that goes on after a restart. What was started before is not known: the first start
   * waits for as long as the earlier process could have been ahead of its spacing.
   */
  static Throttle reopened(long maxPerSecond, long nowNanos) {
    return reopened(maxPerSecond, 1, nowNanos);
  }

  /** The same for a part of a rate. */
  static Throttle reopened(long maxPerSecond, int sharers, long nowNanos) {
    Throttle throttle = new Throttle(maxPerSecond, sharers, nowNanos);
    throttle.nextNanos = nowNanos + CATCH_UP_NANOS + throttle.spacingNanos;
    return throttle;
  }

  /** Nanoseconds until the next start is allowed; 0 or less means now. */
  long waitNanos(long nowNanos) {
    while (count > 0 && nowNanos - starts[first] >= windowNanos) {
      first = (first + 1) & (starts.length - 1);
      count--;
    }
    long spaced = nextNanos - nowNanos;
    return count < maxInWindow ? spaced : Math.max(spaced, starts[first] + windowNanos - nowNanos);
  }

  /** Returns the number of starts that are allowed at this moment. */
  long allowed(long nowNanos) {
    if (waitNanos(nowNanos) > 0) {
      return 0;
    }
    long lag = Math.min(nowNanos - nextNanos, CATCH_UP_NANOS);
    return Math.min(maxInWindow - count, lag / spacingNanos + 1);
  }

  /** Counts a start, which {@link #waitNanos} has just allowed. */
  void start(long nowNanos) {
    if (count == starts.length) {
      grow();
    }
    starts[(first + count) & (starts.length - 1)] = nowNanos;
    count++;
    long lag = nowNanos - nextNanos;
    nextNanos = (lag > CATCH_UP_NANOS ? nowNanos - CATCH_UP_NANOS : nextNanos) + spacingNanos;
  }

  private void grow() {
    long[] larger = Arrays.copyOf(starts, starts.length * 2);
    for (int i = 0; i < count; i++) {
      larger[i] = starts[(first + i) & (starts.length - 1)];
    }
    starts = larger;
    first = 0;
  }
}
