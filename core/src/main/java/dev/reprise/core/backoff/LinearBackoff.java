package dev.reprise.core.backoff;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * A delay that grows by the same step before each further retry: {@code min(base + step * (retry -
 * 1), cap)}. There is no jitter.
 *
 * <p>Immutable and thread-safe; see {@link Backoff#linear}.
 *
 * @param base the delay before the first retry, at least 0
 * @param step what is added from one retry to the next, at least 0
 * @param cap the longest delay, at least {@code base}
 */
public record LinearBackoff(Duration base, Duration step, Duration cap) implements Backoff {
  /** Checks all arguments; throws {@link IllegalArgumentException} naming the one that is wrong. */
  public LinearBackoff {
    Nanos.of("base", base);
    Nanos.of("step", step);
    Nanos.of("cap", cap);
    Nanos.requireAtMost("base", base, "cap", cap);
  }

  @Override
  public long delayNanos(int retry, RandomGenerator random) {
    return delayNanos(retry);
  }

  @Override
  public DelayRange range(int retry) {
    return DelayRange.exactly(delayNanos(retry));
  }

  @Override
  public long capNanos() {
    return cap.toNanos();
  }

  private long delayNanos(int retry) {
    Nanos.requireRetry(retry);
    long riseNanos = Nanos.times(step.toNanos(), retry - 1L);
    return Math.min(Nanos.plus(base.toNanos(), riseNanos), cap.toNanos());
  }
}
