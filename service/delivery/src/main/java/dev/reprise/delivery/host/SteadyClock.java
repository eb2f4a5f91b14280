package dev.reprise.delivery.host;

import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wall time that never runs backwards. What is stored needs wall time, but a wall clock slips: a
 * time server that is wrong, a virtual machine that its host stopped, an operator. So the time
 * advances with the monotonic clock, and the wall clock has to prove itself:
 *
 * <ul>
 *   <li>A difference of up to a second is made good by one millisecond in a second.
 *   <li>A wall clock that is further ahead is followed at once as far as the machine was suspended
 *       (the time since its start counts that), and otherwise once it has stayed there for two
 *       minutes. So a slip of seconds never gets in, and what was right is reached in two minutes.
 *   <li>One that is up to an hour behind, for two minutes, is waited for: the time runs at half its
 *       speed until the lead is given up. A slip of five minutes that got in is out ten minutes
 *       after the clock was mended. Meanwhile a delay takes at most twice as long, and nothing
 *       stands still: that is why the time does not wait faster.
 *   <li>One that is more than an hour behind is leaned to by one millisecond in a second. An
 *       operator decides which of the two is right: {@code --clock-from-system}.
 * </ul>
 *
 * <p>What has to last is the difference: one that changes by more than a second begins anew.
 * Signatures, and the comparison of a node's clock with those of brokers, take the system's time
 * and not this one.
 *
 * <p>Safe for use by many threads.
 */
public final class SteadyClock {
  private static final Logger LOG = LoggerFactory.getLogger(SteadyClock.class);

  private static final long CHECK_INTERVAL_NANOS = 1_000_000_000L;
  private static final long JUMP_MILLIS = 1000;

  /** A lead of more than this is not given up by waiting. */
  static final long FAR_MILLIS = 3_600_000;

  /** For as long as this a difference of more than a second has to last. */
  static final long PROOF_NANOS = 120_000_000_000L;

  private final LongSupplier wallMillis;
  private final LongSupplier nanoTime;
  private final LongSupplier bootMillis;
  private final long originNanos;
  private long checkedNanos;
  private long ticked;

  /** When a difference of more than a second was first seen; it is that, or 0. */
  private long differsSinceNanos;

  private long differenceMillis;

  /** Whether a lead is being given up. */
  private boolean waiting;

  /** By as much the time since the machine's start was ahead of the monotonic clock. */
  private long suspendedMillis;

  /** Written under the lock alone. */
  private volatile Course course;

  /**
   * The time from a moment on: with the monotonic clock, and at half its speed until {@code
   * waitMicros} are given up. In microseconds, or each new course would lose part of a millisecond.
   *
   * @param fromNanos since the origin
   */
  private record Course(long fromNanos, long fromMicros, long waitMicros) {
    long micros(long nanos) {
      long passed = Math.max(0, nanos - fromNanos) / 1000;
      return fromMicros + passed - Math.min(passed / 2, waitMicros);
    }

    long millis(long nanos) {
      return micros(nanos) / 1000;
    }
  }

  /**
   * A clock that does not show less than {@code floorMillis}, the latest time that was ever stored.
   */
  public SteadyClock(LongSupplier wallMillis, LongSupplier nanoTime, long floorMillis) {
    this(wallMillis, nanoTime, new BootTime(), floorMillis);
  }

  /**
   * A clock that knows of suspensions by {@code bootMillis}, the time since the machine's start.
   */
  SteadyClock(
      LongSupplier wallMillis, LongSupplier nanoTime, LongSupplier bootMillis, long floorMillis) {
    this.wallMillis = wallMillis;
    this.nanoTime = nanoTime;
    this.bootMillis = bootMillis;
    this.originNanos = nanoTime.getAsLong();
    this.checkedNanos = originNanos;
    this.suspendedMillis = bootMillis.getAsLong();
    long wall = wallMillis.getAsLong();
    long start = Math.max(wall, floorMillis);
    this.course = new Course(0, start * 1000, 0);
    this.ticked = start;
    // A lead of more than an hour at the start is told by who knows the store.
    if (start - wall <= FAR_MILLIS) {
      prove(originNanos, wall - start);
    } else {
      differenceMillis = wall - start;
      differsSinceNanos = originNanos;
    }
  }

  /** Milliseconds since the epoch. */
  public long epochMillis() {
    return course.millis(nanoTime.getAsLong() - originNanos);
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
    ticked = Math.max(ticked, course.millis(nanos - originNanos));
    return ticked;
  }

  /** The clock does not show less than this from now on: a shard that came from elsewhere has. */
  public synchronized void notBefore(long floorMillis) {
    long nanos = nanoTime.getAsLong();
    long behind = floorMillis - course.millis(nanos - originNanos);
    if (behind > 0) {
      set(nanos, behind, 0);
    }
  }

  /**
   * By as much as {@code aheadMillis} later from now on, and then {@code waitMillis} waited for.
   */
  private void set(long nanos, long aheadMillis, long waitMillis) {
    long since = nanos - originNanos;
    course = new Course(since, course.micros(since) + aheadMillis * 1000, waitMillis * 1000);
  }

  private void follow(long nanos) {
    long ahead = wallMillis.getAsLong() - course.millis(nanos - originNanos);
    if (ahead > JUMP_MILLIS) {
      ahead -= followSuspension(nanos, ahead);
    }
    if (Math.abs(ahead) <= JUMP_MILLIS) {
      if (differenceMillis != 0) {
        LOG.info("the system clock agrees again with the time that has passed");
        differenceMillis = 0;
        waiting = false;
      }
      lean(nanos, ahead);
    } else if (!prove(nanos, ahead)) {
      // Until then the time goes on as it did.
      return;
    } else if (ahead > 0) {
      LOG.warn("the system clock has been {} ms ahead for two minutes; following it", ahead);
      set(nanos, ahead, 0);
    } else if (ahead >= -FAR_MILLIS) {
      set(nanos, 0, -ahead);
      differenceMillis = ahead;
      waiting = true;
    } else {
      lean(nanos, ahead);
    }
  }

  private void lean(long nanos, long ahead) {
    if (ahead > 0) {
      set(nanos, 1, 0);
    } else if (ahead < 0) {
      set(nanos, 0, 1);
    }
  }

  /** Returns by how many milliseconds the time was put forward. */
  private long followSuspension(long nanos, long ahead) {
    long monotonic = (nanos - originNanos) / 1_000_000;
    long boot = bootMillis.getAsLong();
    long suspended = boot == 0 ? 0 : Math.min(ahead, boot - monotonic - suspendedMillis);
    if (suspended <= JUMP_MILLIS) {
      return 0;
    }
    suspendedMillis = boot - monotonic;
    LOG.warn("the machine was suspended for {} ms; following the system clock", suspended);
    set(nanos, suspended, 0);
    return suspended;
  }

  /**
   * Returns true once the difference has lasted. A lead that is being given up lasts while it
   * shrinks.
   */
  private boolean prove(long nanos, long ahead) {
    boolean shrinks = waiting && ahead < 0 && ahead >= differenceMillis - JUMP_MILLIS;
    boolean lasts = differenceMillis != 0 && Math.abs(ahead - differenceMillis) <= JUMP_MILLIS;
    if (Math.abs(ahead) > JUMP_MILLIS && !lasts && !shrinks) {
      differenceMillis = ahead;
      differsSinceNanos = nanos;
      waiting = false;
      report(ahead);
      return false;
    }
    return differenceMillis != 0 && nanos - differsSinceNanos >= PROOF_NANOS;
  }

  private static void report(long ahead) {
    if (ahead > 0) {
      LOG.warn(
          "the system clock is {} ms ahead of what has passed; it is followed if that lasts for two"
              + " minutes",
          ahead);
    } else if (ahead >= -FAR_MILLIS) {
      LOG.warn(
          "the system clock was set back by {} ms; if that lasts for two minutes, delivery goes at"
              + " half speed until the clock has caught up",
          -ahead);
    } else {
      LOG.warn(
          "the system clock was set back by {} ms; delivery goes on by the time that has passed",
          -ahead);
    }
  }
}
