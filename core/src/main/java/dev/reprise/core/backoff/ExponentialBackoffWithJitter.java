package dev.reprise.core.backoff;

import dev.reprise.core.InvalidSettingException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The documented backoff of a device SDK (Azure IoT device SDKs): {@code F(x) = min(Cmin + (2^(x-1)
 * - 1) * rand(C * (1 - Jd), C * (1 - Ju)), Cmax)}, where x is the retry. The first retry waits
 * exactly {@code Cmin}. Delays are drawn evenly, to the nanosecond. Both shares shorten: the
 * formula subtracts them both, so the "up" of {@code Ju} names the upper end of what is drawn.
 *
 * <p>As documented, the cap comes last and takes the jitter away: with the defaults, from the ninth
 * retry on all devices wait exactly 10 seconds. {@link AtCap#JITTER} stops the growth {@code
 * 2^(x-1) - 1} where the longest delay that can be drawn is {@code Cmax}; with the defaults, those
 * devices then wait between 6.7 and 10 seconds.
 *
 * <p>All ranges are worked out once, when the backoff is made. That is why it is no record: two are
 * equal when all their settings are.
 *
 * <p>Immutable and thread-safe; build one with {@link #builder()}.
 */
public final class ExponentialBackoffWithJitter implements Backoff {
  /**
   * The retry from which on no range changes: even 1 ns times the smallest share above 0 that a
   * double leaves of 1, which prints as 1e-16, has outgrown a long.
   */
  private static final int SETTLED_RETRY = 128;

  private static final BigDecimal MAX_NANOS = BigDecimal.valueOf(Long.MAX_VALUE);

  private final Duration interval;
  private final Duration minDelay;
  private final Duration maxDelay;
  private final double jitterDown;
  private final double jitterUp;
  private final AtCap atCap;
  private final long maxDelayNanos;

  /**
   * The ranges from which the delay of retry i + 1 is drawn before it is cut off at the maximum;
   * the last one is that of all later retries too.
   */
  private final DelayRange[] drawnFrom;

  private ExponentialBackoffWithJitter(Builder settings) {
    interval = settings.interval;
    minDelay = settings.minDelay;
    maxDelay = settings.maxDelay;
    jitterDown = settings.jitterDown;
    jitterUp = settings.jitterUp;
    atCap = Objects.requireNonNull(settings.atCap, "atCap");
    Nanos.of("interval", interval);
    Nanos.of("minDelay", minDelay);
    maxDelayNanos = Nanos.of("maxDelay", maxDelay);
    Nanos.requireAtMost("minDelay", minDelay, "maxDelay", maxDelay);
    if (!(jitterDown >= 0 && jitterDown <= 1)) {
      throw new InvalidSettingException("jitterDown", jitterDown, "must be between 0 and 1");
    }
    if (!(jitterUp >= 0 && jitterUp <= jitterDown)) {
      throw new InvalidSettingException(
          "jitterUp", jitterUp, "must be between 0 and jitterDown, which is " + jitterDown);
    }
    drawnFrom = drawnFrom();
  }

  private DelayRange[] drawnFrom() {
    List<DelayRange> ranges = new ArrayList<>();
    BigDecimal growth = BigDecimal.ZERO;
    for (int retry = 1; retry <= SETTLED_RETRY; retry++) {
      ranges.add(drawnFrom(growth));
      growth = growth.add(growth).add(BigDecimal.ONE);
    }
    int last = ranges.size() - 1;
    while (last > 0 && ranges.get(last).equals(ranges.get(last - 1))) {
      last--;
    }
    return ranges.subList(0, last + 1).toArray(DelayRange[]::new);
  }

  private DelayRange drawnFrom(BigDecimal growth) {
    BigDecimal c = BigDecimal.valueOf(interval.toNanos());
    BigDecimal lowestFactor = c.multiply(BigDecimal.ONE.subtract(BigDecimal.valueOf(jitterDown)));
    BigDecimal highestFactor = c.multiply(BigDecimal.ONE.subtract(BigDecimal.valueOf(jitterUp)));
    BigDecimal min = BigDecimal.valueOf(minDelay.toNanos());
    BigDecimal max = BigDecimal.valueOf(maxDelayNanos);
    BigDecimal lowest = min.add(growth.multiply(lowestFactor));
    BigDecimal highest = min.add(growth.multiply(highestFactor));

    // The jitter keeps its proportions: only the growth stops, where the longest delay is the cap.
    if (atCap == AtCap.JITTER && highest.compareTo(max) > 0) {
      BigDecimal riseAtCap = max.subtract(min).multiply(lowestFactor);
      BigDecimal lowestAtCap = min.add(riseAtCap.divide(highestFactor, 0, RoundingMode.DOWN));
      return new DelayRange(lowestAtCap.longValue(), maxDelayNanos);
    }

    // All that can be drawn is cut off.
    if (lowest.compareTo(max) >= 0) {
      return DelayRange.exactly(maxDelayNanos);
    }

    // With jitterDown 1 the lowest never grows. The highest stops at 292 years; from there on the
    // chance of a delay below the cap no longer falls.
    return new DelayRange(lowest.longValue(), highest.min(MAX_NANOS).longValue());
  }

  /** Returns a builder with the documented defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns {@code C}, the unit of the growth of the delay. */
  public Duration interval() {
    return interval;
  }

  /** Returns {@code Cmin}, the delay before the first retry and the shortest of all. */
  public Duration minDelay() {
    return minDelay;
  }

  /** Returns {@code Cmax}, the longest delay. */
  public Duration maxDelay() {
    return maxDelay;
  }

  /** Returns {@code Jd}, the share of the interval that may be left out at most; 0 to 1. */
  public double jitterDown() {
    return jitterDown;
  }

  /** Returns {@code Ju}, the share of the interval that is left out at least; 0 to {@code Jd}. */
  public double jitterUp() {
    return jitterUp;
  }

  /** Returns the treatment of the jitter at the maximum. */
  public AtCap atCap() {
    return atCap;
  }

  @Override
  public long capNanos() {
    return maxDelayNanos;
  }

  @Override
  public long delayNanos(int retry, RandomGenerator random) {
    DelayRange range = uncutRange(retry);
    return Math.min(Draw.between(range.lowestNanos(), range.highestNanos(), random), maxDelayNanos);
  }

  @Override
  public DelayRange range(int retry) {
    DelayRange range = uncutRange(retry);
    return new DelayRange(range.lowestNanos(), Math.min(range.highestNanos(), maxDelayNanos));
  }

  private DelayRange uncutRange(int retry) {
    Nanos.requireRetry(retry);
    return drawnFrom[Math.min(retry, drawnFrom.length) - 1];
  }

  @Override
  public Backoff withCap(Duration cap) {
    return builder()
        .interval(interval)
        .delays(Nanos.shorterByCap(minDelay, cap), Nanos.shorterByCap(maxDelay, cap))
        .jitter(jitterDown, jitterUp)
        .atCap(atCap)
        .build();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ExponentialBackoffWithJitter that
        && interval.equals(that.interval)
        && minDelay.equals(that.minDelay)
        && maxDelay.equals(that.maxDelay)
        && jitterDown == that.jitterDown
        && jitterUp == that.jitterUp
        && atCap == that.atCap;
  }

  @Override
  public int hashCode() {
    return Objects.hash(interval, minDelay, maxDelay, jitterDown, jitterUp, atCap);
  }

  @Override
  public String toString() {
    return "ExponentialBackoffWithJitter[interval="
        + interval
        + ", minDelay="
        + minDelay
        + ", maxDelay="
        + maxDelay
        + ", jitterDown="
        + jitterDown
        + ", jitterUp="
        + jitterUp
        + ", atCap="
        + atCap
        + "]";
  }

  /** Builds an {@link ExponentialBackoffWithJitter}. Not thread-safe. */
  public static final class Builder {
    private Duration interval = Duration.ofMillis(100);
    private Duration minDelay = Duration.ofMillis(100);
    private Duration maxDelay = Duration.ofSeconds(10);
    private double jitterDown = 0.5;
    private double jitterUp = 0.25;
    private AtCap atCap = AtCap.CONSTANT;

    private Builder() {}

    /** Sets {@code C}, the initial retry interval; at least 0, default 100 ms. */
    public Builder interval(Duration interval) {
      this.interval = interval;
      return this;
    }

    /**
     * Sets {@code Cmin} and {@code Cmax}: at least 0, the minimum at most the maximum; default 100
     * ms and 10 s.
     */
    public Builder delays(Duration minDelay, Duration maxDelay) {
      this.minDelay = minDelay;
      this.maxDelay = maxDelay;
      return this;
    }

    /** Sets {@code Jd}, 0 to 1, default 0.5, and {@code Ju}, 0 to {@code Jd}, default 0.25. */
    public Builder jitter(double jitterDown, double jitterUp) {
      this.jitterDown = jitterDown;
      this.jitterUp = jitterUp;
      return this;
    }

    /** Sets the treatment of the jitter at the maximum; default as documented. */
    public Builder atCap(AtCap atCap) {
      this.atCap = atCap;
      return this;
    }

    /**
     * Returns the backoff.
     *
     * @throws IllegalArgumentException when a setting is out of its range, naming it
     */
    public ExponentialBackoffWithJitter build() {
      return new ExponentialBackoffWithJitter(this);
    }
  }
}
