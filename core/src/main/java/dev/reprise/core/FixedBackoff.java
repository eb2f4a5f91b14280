package dev.reprise.core;

import java.util.random.RandomGenerator;

/** The same delay before every retry. */
record FixedBackoff(long nanos) implements Backoff {
  static final FixedBackoff NONE = new FixedBackoff(0);

  @Override
  public long delayNanos(int retry, RandomGenerator random) {
    Nanos.requireRetry(retry);
    return nanos;
  }

  @Override
  public DelayRange range(int retry) {
    Nanos.requireRetry(retry);
    return DelayRange.exactly(nanos);
  }
}
