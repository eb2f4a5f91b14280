package dev.reprise.core.backoff;

import java.time.Duration;
import java.util.Objects;
import java.util.random.RandomGenerator;

/**
 * Equal jitter: half of the delay of another backoff is kept, and up to the other half is drawn
 * evenly and added. The other backoff caps first: the delays stay spread at the cap.
 *
 * <p>Immutable and thread-safe; see {@link Backoff#withEqualJitter()}.
 *
 * @param backoff the longest delay of each retry
 */
public record EqualJitterBackoff(Backoff backoff) implements Backoff {
  /** Checks that there is a backoff. */
  public EqualJitterBackoff {
    Objects.requireNonNull(backoff, "backoff");
  }

  @Override
  public long delayNanos(int retry, RandomGenerator random) {
    long delayNanos = backoff.delayNanos(retry, random);
    return Draw.between(lowestNanos(delayNanos), delayNanos, random);
  }

  @Override
  public DelayRange range(int retry) {
    DelayRange range = backoff.range(retry);
    return new DelayRange(lowestNanos(range.lowestNanos()), range.highestNanos());
  }

  @Override
  public long capNanos() {
    return backoff.capNanos();
  }

  @Override
  public Backoff withCap(Duration cap) {
    return new EqualJitterBackoff(backoff.withCap(cap));
  }

  private static long lowestNanos(long delayNanos) {
    return delayNanos - delayNanos / 2;
  }
}
