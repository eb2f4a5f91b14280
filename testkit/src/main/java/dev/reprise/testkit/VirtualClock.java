package dev.reprise.testkit;

import dev.reprise.core.InvalidSettingException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/**
 * A clock that moves only when told to. It has the two times that real machines have: a monotonic
 * one, like {@link System#nanoTime()}, which only moves forward and whose start means nothing, and
 * wall time, which may be set forward and back under the program's feet.
 *
 * <p>Not thread-safe: virtual time belongs to the one thread that runs the test.
 */
public final class VirtualClock {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final long startNanos;
  private long elapsedNanos;

  /** The wall time if nothing had elapsed; moves when wall time is set. */
  private long wallOriginMillis;

  /**
   * Creates a clock.
   *
   * @param startNanos the first value of {@link #nanoTime()}; try one near {@link Long#MAX_VALUE}
   *     to see code survive the wrap-around
   * @param startWall the first wall time; fractions of a millisecond are dropped
   */
  public VirtualClock(long startNanos, Instant startWall) {
    this.startNanos = startNanos;
    this.wallOriginMillis = startWall.toEpochMilli();
  }

  /**
   * Creates a clock whose monotonic time starts at 0 and whose wall time starts with the year 2026.
   */
  public VirtualClock() {
    this(0, Instant.parse("2026-01-01T00:00:00Z"));
  }

  /**
   * Returns the monotonic time in nanoseconds. As with {@link System#nanoTime()}, only differences
   * mean something, and the value may wrap around.
   */
  public long nanoTime() {
    return startNanos + elapsedNanos;
  }

  /**
   * Returns the nanoseconds since the clock was created, at least 0; setting wall time is no part.
   */
  public long elapsedNanos() {
    return elapsedNanos;
  }

  /** Returns the wall time in milliseconds since 1970. */
  public long wallMillis() {
    return wallOriginMillis + elapsedNanos / NANOS_PER_MILLI;
  }

  /**
   * Lets time pass, on both clocks alike.
   *
   * @throws IllegalArgumentException when {@code duration} is negative
   * @throws ArithmeticException when more than 292 years have passed
   */
  public void advance(Duration duration) {
    advanceNanos(duration.toNanos());
  }

  /**
   * Lets time pass, on both clocks alike.
   *
   * @throws IllegalArgumentException when {@code nanos} is negative
   * @throws ArithmeticException when more than 292 years have passed
   */
  public void advanceNanos(long nanos) {
    if (nanos < 0) {
      throw new InvalidSettingException("nanos", nanos, "time does not run backwards");
    }
    elapsedNanos = Math.addExact(elapsedNanos, nanos);
  }

  /** Sets wall time, forward or back; monotonic time does not notice. */
  public void setWall(Instant wall) {
    wallOriginMillis = wall.toEpochMilli() - elapsedNanos / NANOS_PER_MILLI;
  }

  /** Moves wall time by the duration, back when it is negative; monotonic time does not notice. */
  public void shiftWall(Duration duration) {
    wallOriginMillis = Math.addExact(wallOriginMillis, duration.toMillis());
  }

  /** Returns wall time as a {@link Clock} in UTC, which moves with this one. */
  public Clock wallClock() {
    return new WallClock(ZoneOffset.UTC);
  }

  @Override
  public String toString() {
    return "elapsed "
        + Duration.ofNanos(elapsedNanos)
        + ", wall "
        + Instant.ofEpochMilli(wallMillis());
  }

  private final class WallClock extends Clock {
    private final ZoneId zone;

    WallClock(ZoneId zone) {
      this.zone = zone;
    }

    @Override
    public ZoneId getZone() {
      return zone;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return new WallClock(zone);
    }

    @Override
    public Instant instant() {
      return Instant.ofEpochMilli(wallMillis());
    }
  }
}
