package dev.reprise.delivery.host;

import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wall time that never runs backwards. What is stored needs wall time, but a clock that an operator
 * or a time server sets back by an hour must not make every delivery wait an hour longer. So the
 * time advances with the monotonic clock and only leans towards the wall clock: by one millisecond
 * in a second. A wall clock that is more than a second ahead is followed at once, because a machine
 * that was suspended has really lost that time; one that is more than an hour ahead only if it
 * stays so for a minute.
 *
 * <p>Safe for use by many threads.
 */
public final class SteadyClock {
  private static final Logger LOG = LoggerFactory.getLogger(SteadyClock.class);

  private static final long CHECK_INTERVAL_NANOS = 1_000_000_000L;
  private static final long JUMP_MILLIS = 1000;

  /** A clock this far ahead has to stay there for a minute: a slip must not expire everything. */
  static final long FAR_MILLIS = 3_600_000;

  private static final long FAR_NANOS = 60_000_000_000L;

  private final LongSupplier wallMillis;
  private final LongSupplier nanoTime;
  private final long originNanos;
  private long checkedNanos;
  private boolean behindReported;
  private long ticked;
  private boolean farAhead;
  private long farAheadSinceNanos;

  /** Written under the lock alone. */
  private volatile long originMillis;

  /**
   * A clock that does not show less than {@code floorMillis}, the latest time that was ever stored.
   */
  public SteadyClock(LongSupplier wallMillis, LongSupplier nanoTime, long floorMillis) {
    this.wallMillis = wallMillis;
    this.nanoTime = nanoTime;
    this.originNanos = nanoTime.getAsLong();
    this.checkedNanos = originNanos;
    long wall = wallMillis.getAsLong();
    this.originMillis = Math.max(wall, floorMillis);
    this.ticked = originMillis;
    if (originMillis - wall <= FAR_MILLIS) {
      reportIfBehind(wall - originMillis);
    }
  }

  /** Milliseconds since the epoch. */
  public long epochMillis() {
    return originMillis + (nanoTime.getAsLong() - originNanos) / 1_000_000;
  }

  /** The monotonic time, in nanoseconds from an arbitrary origin. */
  long nanoTime() {
    return nanoTime.getAsLong();
  }

  /**
   * Compares with the wall clock, at most once a second. Returns the time in milliseconds, never
   * less than the last time.
   */
  synchronized long tick() {
    long nanos = nanoTime.getAsLong();
    if (nanos - checkedNanos >= CHECK_INTERVAL_NANOS) {
      checkedNanos = nanos;
      follow(nanos);
    }
    ticked = Math.max(ticked, originMillis + (nanos - originNanos) / 1_000_000);
    return ticked;
  }

  /** The clock does not show less than this from now on: a shard that came from elsewhere has. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // Under the lock; others only read.
  public synchronized void notBefore(long floorMillis) {
    long behind = floorMillis - epochMillis();
    if (behind > 0) {
      originMillis = originMillis + behind;
    }
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // Under the lock; others only read.
  private void follow(long nanos) {
    long ahead = wallMillis.getAsLong() - (originMillis + (nanos - originNanos) / 1_000_000);
    if (ahead <= FAR_MILLIS) {
      farAhead = false;
    } else if (!farAhead) {
      farAhead = true;
      farAheadSinceNanos = nanos;
      return;
    } else if (nanos - farAheadSinceNanos < FAR_NANOS) {
      return;
    }
    if (ahead > JUMP_MILLIS) {
      LOG.warn("the system clock is {} ms ahead of what has passed; following it", ahead);
      originMillis = originMillis + ahead;
    } else if (ahead > 0) {
      originMillis = originMillis + 1;
    } else if (ahead < 0) {
      originMillis = originMillis - 1;
      reportIfBehind(ahead);
    }
  }

  private void reportIfBehind(long ahead) {
    boolean behind = ahead < -JUMP_MILLIS;
    if (behind && !behindReported) {
      LOG.warn(
          "the system clock was set back by {} ms; delivery goes on by the time that has passed",
          -ahead);
    }
    behindReported = behind;
  }
}
