package dev.reprise.server.http;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * A token bucket that holds the tokens of one second, as the generic cell rate algorithm keeps it
 * (ITU-T I.371): one number, the time up to which tokens are taken. Safe for use by many threads,
 * none of which waits for another.
 */
final class RateLimit {
  static final int MAX_PER_SECOND = 1_000_000;

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final long intervalNanos;
  private final LongSupplier nanoTime;
  private final AtomicLong takenUntil;

  /**
   * A full bucket.
   *
   * @param perSecond from 1 to {@value #MAX_PER_SECOND}
   * @param nanoTime a monotonic clock such as {@link System#nanoTime}
   */
  RateLimit(int perSecond, LongSupplier nanoTime) {
    this.intervalNanos = SECOND / perSecond;
    this.nanoTime = nanoTime;
    this.takenUntil = new AtomicLong(nanoTime.getAsLong());
  }

  /** Takes a token and returns 0; if there is none, returns the nanoseconds until there is. */
  long take() {
    long now = nanoTime.getAsLong();
    while (true) {
      long before = takenUntil.get();
      long after = Math.max(before - now, 0) + intervalNanos;
      if (after > SECOND) {
        return after - SECOND;
      }
      if (takenUntil.compareAndSet(before, now + after)) {
        return 0;
      }
    }
  }
}
