package dev.reprise.delivery.host;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wall time that never runs backwards. What is stored needs wall time, but a wall clock slips: a
 * time server that is wrong, a virtual machine that its host stopped, an operator. So the time
 * advances with the monotonic clock, and a wall clock that steps by more than a second has to prove
 * itself: it counts once it has gone on from there for two minutes.
 *
 * <ul>
 *   <li>A difference of up to a second is made good by one millisecond in a second.
 *   <li>A proven wall clock that is further ahead is followed. So a slip of seconds never gets in,
 *       and what was right is reached in two minutes.
 *   <li>One that is up to an hour behind is waited for: the time runs at half its speed until the
 *       lead is given up. A slip of five minutes that got in is out twelve minutes after the clock
 *       was mended. Meanwhile a delay takes at most twice as long, and nothing stands still: that
 *       is why the time does not wait faster.
 *   <li>One that is more than an hour behind is leaned to by one millisecond in a second. An
 *       operator decides which of the two is right: {@code --clock-from-system}.
 * </ul>
 *
 * <p>The time in which the machine was suspended is time that has passed. It counts at once where
 * the wall clock and the time since the machine's start agree about it.
 *
 * <p>Signatures, and the comparison of a node's clock with those of brokers, take the system's time
 * and not this one. Safe for use by many threads.
 */
public final class SteadyClock {
  private static final Logger LOG = LoggerFactory.getLogger(SteadyClock.class);

  private static final long CHECK_INTERVAL_NANOS = 1_000_000_000L;
  private static final long JUMP_MILLIS = 1000;

  /** A lead of more than this is not given up by waiting. */
  static final long FAR_MILLIS = 3_600_000;

  /** For as long as this a wall clock that stepped has to go on from there. */
  static final long PROOF_NANOS = 120_000_000_000L;

  /** A wall clock that hops to and fro is reported once in this time. */
  private static final long REPORT_NANOS = 60_000_000_000L;

  private final LongSupplier wallMillis;
  private final LongSupplier nanoTime;
  private final Suspension suspension;
  private final long originNanos;
  private long checkedNanos;

  /** The wall clock less the monotonic one: the same while neither steps. */
  private long skewMillis;

  /** The time since which the wall clock has not stepped. */
  private long steppedNanos;

  /** Whether the clocks differ, which has been logged. */
  private boolean reported;

  private long reportedNanos;

  /** Whether a lead is being given up. */
  private boolean waiting;

  /**
   * The difference as {@link #state} shows it: when it began, what it is now and at its greatest.
   */
  private ClockState.Course shownCourse = ClockState.Course.AGREES;

  private long differsSinceNanos;
  private long aheadMillis;
  private long mostMillis;
  private long lastedMillis;
  private long followedMillis;

  /** Written under the lock alone. */
  private volatile Course course;

  /**
   * The latest time that was shown: a thread may read an earlier course than another, and later.
   */
  private final AtomicLong shown;

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
   * A clock that knows of suspensions by {@code bootMillis}, the time since the machine's start; 0
   * where that is not known.
   */
  SteadyClock(
      LongSupplier wallMillis, LongSupplier nanoTime, LongSupplier bootMillis, long floorMillis) {
    this.wallMillis = wallMillis;
    this.nanoTime = nanoTime;
    this.originNanos = nanoTime.getAsLong();
    this.suspension = new Suspension(nanoTime, bootMillis, originNanos);
    this.checkedNanos = originNanos;
    this.steppedNanos = originNanos;
    long wall = wallMillis.getAsLong();
    this.skewMillis = wall;
    long start = Math.max(wall, floorMillis);
    this.course = new Course(0, start * 1000, 0);
    this.shown = new AtomicLong(start);
    // A lead of more than an hour at the start is told by who knows the store.
    if (start - wall > JUMP_MILLIS && start - wall <= FAR_MILLIS) {
      report(originNanos, wall - start);
    }
    if (start - wall > JUMP_MILLIS) {
      show(ClockState.Course.UNPROVEN, originNanos, wall - start);
    }
  }

  /** Milliseconds since the epoch; never less than the last time, whatever thread that was. */
  public long epochMillis() {
    long now = course.millis(sinceOrigin(nanoTime.getAsLong()));
    long latest = shown.get();
    while (now > latest) {
      if (shown.compareAndSet(latest, now)) {
        return now;
      }
      latest = shown.get();
    }
    return latest;
  }

  /** The monotonic time, in nanoseconds from an arbitrary origin. */
  long nanoTime() {
    return nanoTime.getAsLong();
  }

  /** Compares with the wall clock, at most once a second. Returns the time in milliseconds. */
  synchronized long tick() {
    long nanos = nanoTime.getAsLong();
    if (nanos - checkedNanos >= CHECK_INTERVAL_NANOS) {
      checkedNanos = nanos;
      follow(nanos);
    }
    return epochMillis();
  }

  /**
   * Returns how the clock stands to the wall clock, after comparing them as {@link #tick} does. A
   * process without shards has no other that compares.
   */
  public synchronized ClockState state() {
    tick();
    boolean differs = shownCourse != ClockState.Course.AGREES;
    return new ClockState(
        shownCourse,
        aheadMillis,
        differs ? (nanoTime.getAsLong() - differsSinceNanos) / 1_000_000 : 0,
        mostMillis,
        lastedMillis,
        followedMillis);
  }

  /** The clock does not show less than this from now on: a shard that came from elsewhere has. */
  public synchronized void notBefore(long floorMillis) {
    long nanos = nanoTime.getAsLong();
    long behind = floorMillis - course.millis(sinceOrigin(nanos));
    if (behind > 0) {
      set(nanos, behind, 0);
    }
  }

  private long sinceOrigin(long nanos) {
    return nanos - originNanos;
  }

  /** By as much {@code aheadMillis} later from now on, and then {@code waitMillis} waited for. */
  private void set(long nanos, long aheadMillis, long waitMillis) {
    long since = sinceOrigin(nanos);
    course = new Course(since, course.micros(since) + aheadMillis * 1000, waitMillis * 1000);
  }

  private void follow(long nanos) {
    long wall = wallMillis.getAsLong();
    if (nanoTime.getAsLong() - nanos > JUMP_MILLIS * 500_000) {
      return; // The thread stood still between the two clocks: they cannot be compared.
    }
    long skew = wall - sinceOrigin(nanos) / 1_000_000;
    long step = skew - skewMillis;
    long suspended = suspension.since(nanos);
    boolean woke = suspended > JUMP_MILLIS && Math.abs(step - suspended) <= JUMP_MILLIS;
    if (woke) {
      LOG.warn("the machine was suspended for {} ms, which have passed", suspended);
      set(nanos, suspended, 0);
    }
    long ahead = wall - course.millis(sinceOrigin(nanos));
    // Slow drift is no step.
    skewMillis = skew;
    if (Math.abs(step) > JUMP_MILLIS && !woke) {
      steppedNanos = nanos;
      waiting = false;
    }
    if (Math.abs(ahead) <= JUMP_MILLIS) {
      agree(nanos, ahead);
    } else if (nanos - steppedNanos < PROOF_NANOS) {
      set(nanos, 0, 0);
      if (!reported || steppedNanos == nanos) {
        report(nanos, ahead);
      }
      show(ClockState.Course.UNPROVEN, nanos, ahead);
    } else {
      differ(nanos, ahead);
    }
  }

  /** The difference is a second or less. */
  private void agree(long nanos, long ahead) {
    if (waiting && ahead < 0) {
      set(nanos, 0, -ahead);
      show(ClockState.Course.WAITS, nanos, ahead);
      return;
    }
    waiting = false;
    show(ClockState.Course.AGREES, nanos, ahead);
    if (reported) {
      LOG.info(
          "the system clock agrees again with the service's after {} ms, which was up to {} ms {}",
          lastedMillis,
          Math.abs(mostMillis),
          mostMillis < 0 ? "behind" : "ahead");
      reported = false;
    }
    lean(nanos, ahead);
  }

  /** The difference is more than a second, and the wall clock has proved itself. */
  private void differ(long nanos, long ahead) {
    if (ahead > 0) {
      LOG.warn("the system clock has been {} ms ahead for two minutes; following it", ahead);
      set(nanos, ahead, 0);
      followedMillis += ahead;
      show(ClockState.Course.AGREES, nanos, 0);
      reported = false;
    } else if (ahead >= -FAR_MILLIS) {
      if (!waiting) {
        LOG.warn(
            "the service's clock is {} ms ahead of the system's: delivery goes at half speed until"
                + " they agree, in about {} ms",
            -ahead,
            -2 * ahead);
      }
      set(nanos, 0, -ahead);
      waiting = true;
      reported = true;
      show(ClockState.Course.WAITS, nanos, ahead);
    } else {
      if (!reported) {
        report(nanos, ahead);
      }
      lean(nanos, ahead);
      show(ClockState.Course.FAR, nanos, ahead);
    }
  }

  /** Keeps for {@link #state} what was found, {@code wallAhead} as of before anything was set. */
  private void show(ClockState.Course found, long nanos, long wallAhead) {
    boolean differed = shownCourse != ClockState.Course.AGREES;
    boolean differs = found != ClockState.Course.AGREES;
    aheadMillis = -wallAhead;
    if (differs && !differed) {
      differsSinceNanos = nanos;
      mostMillis = aheadMillis;
    } else if (differs && Math.abs(aheadMillis) > Math.abs(mostMillis)) {
      mostMillis = aheadMillis;
    } else if (differed && !differs) {
      lastedMillis = (nanos - differsSinceNanos) / 1_000_000;
    }
    shownCourse = found;
  }

  private void lean(long nanos, long ahead) {
    set(nanos, ahead > 0 ? 1 : 0, ahead < 0 ? 1 : 0);
  }

  private void report(long nanos, long ahead) {
    if (reported && nanos - reportedNanos < REPORT_NANOS) {
      return;
    }
    reported = true;
    reportedNanos = nanos;
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
