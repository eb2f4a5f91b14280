package dev.reprise.core;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * How long to wait before each retry.
 *
 * <p>A backoff is a pure function: it reads no clock and no source of randomness but the one it is
 * given, and keeps no state between calls. Implementations are immutable and thread-safe, and
 * answer in constant time for any retry up to {@link Integer#MAX_VALUE}.
 */
public interface Backoff {
  /**
   * Returns the delay before the given retry, counted from the end of the attempt that failed.
   *
   * @param retry the retry to come, counted from 1
   * @param random where jitter is drawn from; a backoff without jitter draws nothing
   * @return nanoseconds, never negative and always within {@link #range(int)}
   * @throws IllegalArgumentException when {@code retry} is less than 1
   */
  long delayNanos(int retry, RandomGenerator random);

  /**
   * Returns the shortest and the longest delay that {@link #delayNanos} can return for the retry.
   *
   * @param retry the retry to come, counted from 1
   * @throws IllegalArgumentException when {@code retry} is less than 1
   */
  DelayRange range(int retry);

  /** Returns the backoff that never waits. */
  static Backoff none() {
    return FixedBackoff.NONE;
  }

  /**
   * Returns the backoff that waits equally long before every retry.
   *
   * @throws IllegalArgumentException when {@code delay} is negative or longer than {@link
   *     Long#MAX_VALUE} nanoseconds (292 years)
   */
  static Backoff fixed(Duration delay) {
    return new FixedBackoff(Nanos.of("delay", delay));
  }
}
