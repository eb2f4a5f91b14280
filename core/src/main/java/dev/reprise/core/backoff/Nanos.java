package dev.reprise.core.backoff;

import dev.reprise.core.InvalidSettingException;
import java.time.Duration;
import java.util.Objects;

/** The bounds that every delay and every retry number of this package keeps. */
final class Nanos {
  /** The longest time that fits nanoseconds in a long: 292 years. */
  static final Duration MAX_DURATION = Duration.ofNanos(Long.MAX_VALUE);

  private Nanos() {}

  /**
   * Returns the nanoseconds of a duration that must be neither negative nor too long for a long.
   */
  static long of(String name, Duration duration) {
    Objects.requireNonNull(duration, name);
    if (duration.isNegative()) {
      throw new InvalidSettingException(name, duration, "must not be negative");
    }
    if (duration.compareTo(MAX_DURATION) > 0) {
      throw new InvalidSettingException(name, duration, "must be at most " + MAX_DURATION);
    }
    return duration.toNanos();
  }

  static void requireAtMost(String name, Duration duration, String limitName, Duration limit) {
    if (duration.compareTo(limit) > 0) {
      throw new InvalidSettingException(
          name, duration, "must be at most " + limitName + ", which is " + limit);
    }
  }

  static void requireRetry(int retry) {
    if (retry < 1) {
      throw new InvalidSettingException("retry", retry, "must be >= 1");
    }
  }

  /** Returns the shorter of a delay and a cap that has yet to be checked. */
  static Duration shorterByCap(Duration delay, Duration cap) {
    Objects.requireNonNull(delay, "delay");
    of("cap", cap);
    return delay.compareTo(cap) <= 0 ? delay : cap;
  }

  /** Adds two numbers that are not negative; {@link Long#MAX_VALUE} stands for all that is more. */
  static long plus(long a, long b) {
    long sum = a + b;
    return sum < 0 ? Long.MAX_VALUE : sum;
  }

  /** Multiplies two numbers that are not negative, in the same way. */
  static long times(long a, long b) {
    long product = a * b;
    return Math.multiplyHigh(a, b) != 0 || product < 0 ? Long.MAX_VALUE : product;
  }
}
