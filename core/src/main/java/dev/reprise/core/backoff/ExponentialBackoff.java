package dev.reprise.core.backoff;

import dev.reprise.core.InvalidSettingException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A delay that is multiplied before each further retry: {@code min(base * factor^(retry - 1),
 * cap)}, rounded down to the nanosecond. There is no jitter, so that clients which fail together
 * return together; add some with {@link Backoff#withFullJitter()}.
 *
 * <p>The factor is taken as the decimal number that it prints as: 1.1 is eleven tenths. All delays
 * are worked out once, when the backoff is made. That is why it is a class, and why it is no
 * record: two are equal when base, factor and cap are.
 *
 * <p>Immutable and thread-safe; see {@link Backoff#exponential(Duration, double, Duration)}.
 */
public final class ExponentialBackoff implements Backoff {
  /** The most retries that the growth from base to cap may take: 32 KB of delays. */
  private static final int MAX_STEPS = 4096;

  private final Duration base;
  private final double factor;
  private final Duration cap;
  private final long capNanos;

  /** The delay of retry i + 1; the last one is that of all later retries too. */
  private final long[] delaysNanos;

  ExponentialBackoff(Duration base, double factor, Duration cap) {
    this.base = base;
    this.factor = factor;
    this.cap = cap;
    this.capNanos = Nanos.of("cap", cap);
    long baseNanos = Nanos.of("base", base);
    Nanos.requireAtMost("base", base, "cap", cap);
    if (!(factor >= 1) || factor == Double.POSITIVE_INFINITY) {
      throw new InvalidSettingException("factor", factor, "must be >= 1 and finite");
    }
    this.delaysNanos = delaysNanos(baseNanos, factor, capNanos);
  }

  private static long[] delaysNanos(long baseNanos, double factor, long capNanos) {
    if (baseNanos == 0 || factor == 1) {
      return new long[] {baseNanos};
    }
    if (factor == (int) factor) {
      return wholeDelaysNanos(baseNanos, (int) factor, capNanos);
    }
    // More digits than a power of the factor has whenever its product with the base is a whole
    // number, so that whole results are never rounded to the nanosecond below: 19 before the point,
    // and 63 after it for the 63 halvings that a long allows.
    MathContext digits = new MathContext(100, RoundingMode.DOWN);
    BigDecimal growth = BigDecimal.valueOf(factor);
    BigDecimal end = BigDecimal.valueOf(capNanos);
    long[] delays = new long[64];
    int steps = 0;
    for (BigDecimal delay = BigDecimal.valueOf(baseNanos);
        delay.compareTo(end) < 0;
        delay = delay.multiply(growth, digits)) {
      if (steps == MAX_STEPS) {
        throw new InvalidSettingException(
            "factor",
            factor,
            "must be 1, or large enough to reach the cap within " + MAX_STEPS + " retries");
      }
      if (steps == delays.length - 1) {
        delays = Arrays.copyOf(delays, 2 * delays.length);
      }
      delays[steps++] = delay.longValue();
    }
    delays[steps] = capNanos;
    return Arrays.copyOf(delays, steps + 1);
  }

  /** The same for factors that need no decimals, which is what most are. */
  private static long[] wholeDelaysNanos(long baseNanos, int factor, long capNanos) {
    long[] delays = new long[Long.SIZE];
    int steps = 0;
    long delay = baseNanos;
    while (delay < capNanos) {
      delays[steps++] = delay;
      delay = delay > capNanos / factor ? capNanos : delay * factor;
    }
    delays[steps] = capNanos;
    return Arrays.copyOf(delays, steps + 1);
  }

  /** Returns the delay before the first retry; at least 0. */
  public Duration base() {
    return base;
  }

  /** Returns the factor of the delay from one retry to the next; at least 1. */
  public double factor() {
    return factor;
  }

  /** Returns the longest delay; at least the base. */
  public Duration cap() {
    return cap;
  }

  @Override
  public long capNanos() {
    return capNanos;
  }

  @Override
  public long delayNanos(int retry, RandomGenerator random) {
    return delayNanos(retry);
  }

  @Override
  public DelayRange range(int retry) {
    return DelayRange.exactly(delayNanos(retry));
  }

  private long delayNanos(int retry) {
    Nanos.requireRetry(retry);
    return delaysNanos[Math.min(retry, delaysNanos.length) - 1];
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ExponentialBackoff that
        && base.equals(that.base)
        && factor == that.factor
        && cap.equals(that.cap);
  }

  @Override
  public int hashCode() {
    return Objects.hash(base, factor, cap);
  }

  @Override
  public String toString() {
    return "ExponentialBackoff[base=" + base + ", factor=" + factor + ", cap=" + cap + "]";
  }
}
