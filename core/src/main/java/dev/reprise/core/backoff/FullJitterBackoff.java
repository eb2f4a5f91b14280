package dev.reprise.core.backoff;

import java.time.Duration;
import java.util.Objects;
import java.util.random.RandomGenerator;

/**
 * Full jitter: a delay drawn evenly between 1 nanosecond and the whole delay of another backoff. It
 * is 0 only where the other's is, so that a retry always backs off. The other backoff caps first:
 * the delays stay spread at the cap.
 *
 * <p>Immutable and thread-safe; see {@link Backoff#withFullJitter()}.
 *
 * @param backoff the longest delay of each retry
 */
public record FullJitterBackoff(Backoff backoff) implements Backoff {
  /** Checks that there is a backoff. */
  public FullJitterBackoff {
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
    return new FullJitterBackoff(backoff.withCap(cap));
  }

  private static long lowestNanos(long delayNanos) {
    return Math.min(delayNanos, 1);
  }
}
