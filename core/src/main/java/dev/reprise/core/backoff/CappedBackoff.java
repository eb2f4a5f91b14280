package dev.reprise.core.backoff;

import java.time.Duration;
import java.util.Objects;
import java.util.random.RandomGenerator;

/**
 * Another backoff, its delays cut off at a cap. Immutable and thread-safe; see {@link
 * Backoff#withCap}, which keeps the jitter of the backoffs of this package. Made directly around a
 * backoff with jitter, this one returns the cap itself for whatever was drawn above it.
 *
 * @param backoff the delays to cut off
 * @param cap the longest delay; at least 0 and at most {@link Long#MAX_VALUE} nanoseconds
 */
public record CappedBackoff(Backoff backoff, Duration cap) implements Backoff {
  /** Checks the cap; throws {@link IllegalArgumentException} when it is out of range. */
  public CappedBackoff {
    Objects.requireNonNull(backoff, "backoff");
    Nanos.of("cap", cap);
  }

  @Override
  public long delayNanos(int retry, RandomGenerator random) {
    return Math.min(backoff.delayNanos(retry, random), cap.toNanos());
  }

  @Override
  public DelayRange range(int retry) {
    DelayRange range = backoff.range(retry);
    long capNanos = cap.toNanos();
    return new DelayRange(
        Math.min(range.lowestNanos(), capNanos), Math.min(range.highestNanos(), capNanos));
  }

  @Override
  public long capNanos() {
    return Math.min(backoff.capNanos(), cap.toNanos());
  }

  @Override
  public Backoff withCap(Duration cap) {
    return new CappedBackoff(backoff, Nanos.shorterByCap(this.cap, cap));
  }
}
