package dev.reprise.core;

import java.time.Duration;

/** The bounds that every delay and every retry number of this package keeps. */
final class Nanos {
  /** The longest time that fits nanoseconds in a long: 292 years. */
  static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

  private Nanos() {}

  /**
   * Returns the nanoseconds of a duration that must be neither negative nor too long for a long.
   */
  static long of(String name, Duration duration) {
    if (duration.isNegative()) {
      throw new IllegalArgumentException(name + " is " + duration + ": must not be negative");
    }
    if (duration.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(name + " is " + duration + ": must be at most " + LONGEST);
    }
    return duration.toNanos();
  }

  static void requireRetry(int retry) {
    if (retry < 1) {
      throw new IllegalArgumentException("retry is " + retry + ": must be >= 1");
    }
  }
}
