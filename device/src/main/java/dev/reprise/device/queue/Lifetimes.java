package dev.reprise.device.queue;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Sums of ages and times to live, which stop at {@link Entry#NEVER} instead of wrapping. */
final class Lifetimes {
  private Lifetimes() {}

  /** Returns the age at which something that is now of this age expires; null: never. */
  static long expiryAge(long ageNanos, @Nullable Duration timeToLive) {
    return timeToLive == null ? Entry.NEVER : sum(ageNanos, nanos(timeToLive));
  }

  /** Returns the sum, at most {@link Entry#NEVER}; the second is at least 0. */
  static long sum(long nanos, long addedNanos) {
    return nanos > Entry.NEVER - addedNanos ? Entry.NEVER : nanos + addedNanos;
  }

  /** Returns the nanoseconds of a duration that is not negative, at most {@link Entry#NEVER}. */
  static long nanos(Duration duration) {
    return TimeUnit.NANOSECONDS.convert(duration);
  }
}
