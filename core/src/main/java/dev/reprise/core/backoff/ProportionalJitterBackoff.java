package dev.reprise.core.backoff;

import dev.reprise.core.InvalidSettingException;
import java.time.Duration;
import java.util.Objects;
import java.util.random.RandomGenerator;

/**
 * Proportional jitter: the delay of another backoff, shortened or lengthened by up to a share of
 * itself. Delays are drawn evenly from {@code delay - share * delay} to {@code delay + share *
 * delay}, or to the cap of the other backoff where that is less. At the cap the jitter can only
 * shorten, and no delay is more likely than another. The product is that of two doubles, cut to the
 * nanosecond.
 *
 * <p>Immutable and thread-safe; see {@link Backoff#withJitter}.
 *
 * @param backoff the delays to vary
 * @param share from 0, no jitter, to 1, from nothing to twice the delay
 */
public record ProportionalJitterBackoff(Backoff backoff, double share) implements Backoff {
  /** Checks the share; throws {@link IllegalArgumentException} when it is out of range. */
  public ProportionalJitterBackoff {
    Objects.requireNonNull(backoff, "backoff");
    if (!(share >= 0 && share <= 1)) {
      throw new InvalidSettingException("share", share, "must be between 0 and 1");
    }
  }

  @Override
  public long delayNanos(int retry, RandomGenerator random) {
    long delayNanos = backoff.delayNanos(retry, random);
    return Draw.between(lowestNanos(delayNanos), highestNanos(delayNanos), random);
  }

  @Override
  public DelayRange range(int retry) {
    DelayRange range = backoff.range(retry);
    return new DelayRange(lowestNanos(range.lowestNanos()), highestNanos(range.highestNanos()));
  }

  @Override
  public long capNanos() {
    return backoff.capNanos();
  }

  @Override
  public Backoff withCap(Duration cap) {
    return new ProportionalJitterBackoff(backoff.withCap(cap), share);
  }

  private long lowestNanos(long delayNanos) {
    return delayNanos - spreadNanos(delayNanos);
  }

  private long highestNanos(long delayNanos) {
    return Math.min(Nanos.plus(delayNanos, spreadNanos(delayNanos)), backoff.capNanos());
  }

  private long spreadNanos(long delayNanos) {
    // Past 2^53 the delay may round up as it becomes a double: never more than the delay itself.
    return Math.min(delayNanos, (long) (delayNanos * share));
  }
}
