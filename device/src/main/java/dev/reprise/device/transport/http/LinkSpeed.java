package dev.reprise.device.transport.http;

/**
 * Knows how long a large body may take beyond the usual: the system takes in megabytes at once, and
 * nobody can see how fast they leave it. Learned from requests that needed longer. Thread-safe.
 */
final class LinkSpeed {
  /** Slower than this is no link that works: 2 KiB/s. */
  private static final long MAX_NANOS_PER_BYTE = 1_000_000_000L / 2_048;

  private volatile long nanosPerByte;

  /** No body gets longer: a small one that was never answered tells little of a large one. */
  private volatile long mostNanos;

  /** Returns how long a body of this size may need on its way; 0: no longer than usual. */
  long expectedNanos(long bytes) {
    return Math.min(mostNanos, nanosPerByte * bytes);
  }

  /** A body was answered: this is how fast the link is, if it is slow. */
  void answered(long bytes, long tookNanos, long usualNanos) {
    long seen = tookNanos / Math.max(1, bytes);
    if (tookNanos > usualNanos || seen < nanosPerByte) {
      // Half as long again, for no link has one speed.
      nanosPerByte = tookNanos > usualNanos ? capped(seen + seen / 2) : 0;
      mostNanos = tookNanos > usualNanos ? Math.max(mostNanos, tookNanos + tookNanos / 2) : 0;
    }
  }

  /** A body was not answered in this time: the link may be at most that fast. */
  void silent(long bytes, long tookNanos) {
    nanosPerByte = Math.max(nanosPerByte, capped(2 * tookNanos / Math.max(1, bytes)));
    mostNanos = Math.max(mostNanos, 2 * tookNanos);
  }

  private static long capped(long nanos) {
    return Math.min(MAX_NANOS_PER_BYTE, nanos);
  }
}
