package dev.reprise.core.backoff;

import java.time.Duration;
import java.util.Objects;
import java.util.random.RandomGenerator;

/**
 * The truncated exponential backoff that Google Cloud IoT Core asked of devices (its documentation,
 * "Implementing exponential backoff"): {@code min(2^n seconds + random milliseconds,
 * maximum_backoff)}, where n is 0 for the first retry and the random part is drawn evenly from 0 to
 * 1,000 ms, to the nanosecond.
 *
 * <p>As documented, the cap comes last and takes the jitter away: with the usual maximum of 32
 * seconds, from the sixth retry on all devices wait exactly 32 seconds. {@link AtCap#JITTER} caps
 * first, {@code min(2^n seconds, maximum_backoff - 1 second) + random milliseconds}, and a maximum
 * of less than a second is drawn from 0.
 *
 * <p>Immutable and thread-safe; see {@link Backoff#truncatedExponential}.
 *
 * @param maximumBackoff the longest delay, at least 0; typically 32 or 64 seconds
 * @param atCap what becomes of the jitter at the cap
 */
public record TruncatedExponentialBackoff(Duration maximumBackoff, AtCap atCap) implements Backoff {
  private static final long NANOS_PER_SECOND = 1_000_000_000;

  /** The random part is at most 1,000 milliseconds. */
  private static final long MAX_JITTER_NANOS = NANOS_PER_SECOND;

  /** The last n for which 2^n seconds fit nanoseconds in a long. */
  private static final int LAST_EXPONENT = 33;

  /** Checks the maximum; throws {@link IllegalArgumentException} when it is out of range. */
  public TruncatedExponentialBackoff {
    Nanos.of("maximumBackoff", maximumBackoff);
    Objects.requireNonNull(atCap, "atCap");
  }

  @Override
  public long delayNanos(int retry, RandomGenerator random) {
    long maximumNanos = maximumBackoff.toNanos();
    long grownNanos = grownNanos(retry, maximumNanos);
    // Past the documented cap nothing is left to draw.
    if (grownNanos >= maximumNanos) {
      return maximumNanos;
    }
    return Math.min(
        Draw.between(grownNanos, Nanos.plus(grownNanos, jitterNanos(maximumNanos)), random),
        maximumNanos);
  }

  @Override
  public DelayRange range(int retry) {
    long maximumNanos = maximumBackoff.toNanos();
    long grownNanos = grownNanos(retry, maximumNanos);
    return new DelayRange(
        Math.min(grownNanos, maximumNanos),
        Math.min(Nanos.plus(grownNanos, jitterNanos(maximumNanos)), maximumNanos));
  }

  @Override
  public long capNanos() {
    return maximumBackoff.toNanos();
  }

  @Override
  public Backoff withCap(Duration cap) {
    return new TruncatedExponentialBackoff(Nanos.shorterByCap(maximumBackoff, cap), atCap);
  }

  private long grownNanos(int retry, long maximumNanos) {
    Nanos.requireRetry(retry);
    int n = retry - 1;
    long grownNanos = n > LAST_EXPONENT ? Long.MAX_VALUE : NANOS_PER_SECOND << n;
    return switch (atCap) {
      case CONSTANT -> grownNanos;
      case JITTER -> Math.min(grownNanos, maximumNanos - jitterNanos(maximumNanos));
    };
  }

  private long jitterNanos(long maximumNanos) {
    return switch (atCap) {
      case CONSTANT -> MAX_JITTER_NANOS;
      case JITTER -> Math.min(MAX_JITTER_NANOS, maximumNanos);
    };
  }
}
