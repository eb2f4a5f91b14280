package dev.reprise.device.retry;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.device.error.TransportException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * The default of the Azure IoT device SDK as its retry documentation gives it: {@code F(x) =
 * min(Cmin + (2^(x-1) - 1) * rand(C * (1 - Jd), C * (1 - Ju)), Cmax)}, where x is the retry to
 * come, 1 at a {@code currentRetryCount} of 0. Jd is 0.5 and Ju is 0.25 unless set.
 *
 * <p>With the defaults the first retry follows after exactly 100 ms, and from the ninth on all wait
 * exactly 10 s, because the formula has no jitter at the maximum. {@link RetryPolicies#of(Backoff)}
 * takes the formula with jitter at the maximum too.
 *
 * <p>Immutable and thread-safe.
 */
public final class ExponentialBackoffWithJitter implements RetryPolicy {
  private static final double JITTER_DOWN = 0.5;
  private static final double JITTER_UP = 0.25;

  private final RetryPolicy policy;

  /** Creates the policy with the documented defaults: C and Cmin 100 ms, Cmax 10 s, no limit. */
  public ExponentialBackoffWithJitter() {
    this(CoreDecision.UNLIMITED, Backoff.exponentialWithJitter(), ThreadLocalRandom::current);
  }

  /**
   * Creates the policy.
   *
   * @param maxRetries how many retries may be made, at least 0; {@link Integer#MAX_VALUE} for no
   *     limit
   * @param interval C, what the growth of the delay is counted in, at least 0
   * @param minDelay Cmin, the delay before the first retry, at least 0
   * @param maxDelay Cmax, the longest delay, at least {@code minDelay}
   * @throws IllegalArgumentException when an argument is out of its range, naming it
   */
  public ExponentialBackoffWithJitter(
      int maxRetries, Duration interval, Duration minDelay, Duration maxDelay) {
    this(maxRetries, interval, minDelay, maxDelay, JITTER_DOWN, JITTER_UP);
  }

  /**
   * Creates the policy with other jitter than documented.
   *
   * @param maxRetries how many retries may be made, at least 0; {@link Integer#MAX_VALUE} for no
   *     limit
   * @param interval C, what the growth of the delay is counted in, at least 0
   * @param minDelay Cmin, the delay before the first retry, at least 0
   * @param maxDelay Cmax, the longest delay, at least {@code minDelay}
   * @param jitterDown Jd, by how much of C the growth is shortened at most, 0 to 1
   * @param jitterUp Ju, by how much of C it is shortened at least, 0 to {@code jitterDown}
   * @throws IllegalArgumentException when an argument is out of its range, naming it
   */
  public ExponentialBackoffWithJitter(
      int maxRetries,
      Duration interval,
      Duration minDelay,
      Duration maxDelay,
      double jitterDown,
      double jitterUp) {
    this(
        maxRetries,
        dev.reprise.core.backoff.ExponentialBackoffWithJitter.builder()
            .interval(interval)
            .delays(minDelay, maxDelay)
            .jitter(jitterDown, jitterUp)
            .build(),
        ThreadLocalRandom::current);
  }

  ExponentialBackoffWithJitter(
      int maxRetries, Backoff backoff, Supplier<? extends RandomGenerator> random) {
    this.policy = RetryPolicies.of(backoff, maxRetries, random);
  }

  @Override
  public RetryDecision getRetryDecision(int currentRetryCount, TransportException lastException) {
    return policy.getRetryDecision(currentRetryCount, lastException);
  }

  @Override
  public String toString() {
    return "ExponentialBackoffWithJitter[" + policy + "]";
  }
}
