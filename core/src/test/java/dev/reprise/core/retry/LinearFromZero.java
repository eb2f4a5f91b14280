package dev.reprise.core.retry;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.backoff.DelayRange;
import java.util.random.RandomGenerator;

/** 0, 1, 2, 3 … seconds. */
final class LinearFromZero implements Backoff {
  @Override
  public long delayNanos(int retry, RandomGenerator random) {
    return (retry - 1) * 1_000_000_000L;
  }

  @Override
  public DelayRange range(int retry) {
    return DelayRange.exactly((retry - 1) * 1_000_000_000L);
  }
}
