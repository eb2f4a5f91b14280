package dev.reprise.core.backoff;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * The same delay before every retry. Immutable and thread-safe; see {@link Backoff#fixed} and
 * {@link Backoff#none}.
 *
 * @param delay at least 0 and at most {@link Long#MAX_VALUE} nanoseconds (292 years)
 */
public record FixedBackoff(Duration delay) implements Backoff {
  static final FixedBackoff NONE = new FixedBackoff(Duration.ZERO);

  /** Checks the delay; throws {@link IllegalArgumentException} when it is out of range. */
  public FixedBackoff {
    Nanos.of("delay", delay);
  }

  @Override
  public long delayNanos(int retry, RandomGenerator random) {
    Nanos.requireRetry(retry);
    return delay.toNanos();
  }

  @Override
  public DelayRange range(int retry) {
    Nanos.requireRetry(retry);
    return DelayRange.exactly(delay.toNanos());
  }

  /** No cap, unless there is no delay that jitter could lengthen. */
  @Override
  public long capNanos() {
    return delay.isZero() ? 0 : Long.MAX_VALUE;
  }
}
