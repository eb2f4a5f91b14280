package dev.reprise.device.retry;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.policy.Policy;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * Retry policies made of the backoffs of the core and of policy documents. All are immutable and
 * thread-safe, and never come back earlier than {@link
 * dev.reprise.device.error.TransportException#retryAfter()} asks.
 *
 * <p>Retry 1 of a backoff is what follows a {@code currentRetryCount} of 0.
 *
 * <pre>{@code
 * // The default, but devices stay spread out when the delay has grown to the maximum.
 * RetryPolicy reconnects =
 *     RetryPolicies.of(
 *         dev.reprise.core.backoff.ExponentialBackoffWithJitter.builder().atCap(AtCap.JITTER).build());
 *
 * // As Google Cloud IoT Core documents it.
 * RetryPolicy bridge = RetryPolicies.truncatedExponential(Duration.ofSeconds(64));
 * }</pre>
 */
public final class RetryPolicies {
  private RetryPolicies() {}

  /** Returns the policy that retries with these delays and never gives up. */
  public static RetryPolicy of(Backoff backoff) {
    return of(backoff, CoreDecision.UNLIMITED);
  }

  /**
   * Returns the policy that retries with these delays.
   *
   * @param maxRetries how many retries may be made, at least 0; {@link Integer#MAX_VALUE} for no
   *     limit
   * @throws IllegalArgumentException when {@code maxRetries} is negative
   */
  public static RetryPolicy of(Backoff backoff, int maxRetries) {
    return of(backoff, maxRetries, ThreadLocalRandom::current);
  }

  /**
   * Returns the policy that retries with these delays, and draws their jitter from a source of the
   * caller: for tests that can be run again.
   *
   * @param maxRetries how many retries may be made, at least 0; {@link Integer#MAX_VALUE} for no
   *     limit
   * @param random asked at each decision; what it returns is used by the calling thread only
   * @throws IllegalArgumentException when {@code maxRetries} is negative
   */
  public static RetryPolicy of(
      Backoff backoff, int maxRetries, Supplier<? extends RandomGenerator> random) {
    return new BackoffPolicy(backoff, backoff, maxRetries, BackoffPolicy.NO_CEILING, random);
  }

  /**
   * Returns the policy that waits equally long before every retry and never gives up.
   *
   * @param delay 0 to 292 years
   * @throws IllegalArgumentException when the delay is out of that range
   */
  public static RetryPolicy fixed(Duration delay) {
    return of(Backoff.fixed(delay));
  }

  /**
   * Returns the truncated exponential backoff as Google Cloud documents it: {@code min(2^n seconds
   * + random 0 to 1000 ms, maximumBackoff)}, where n is the {@code currentRetryCount}. It never
   * gives up.
   *
   * @param maximumBackoff typically 32 or 64 seconds; 0 to 292 years
   * @throws IllegalArgumentException when it is out of that range
   */
  public static RetryPolicy truncatedExponential(Duration maximumBackoff) {
    return truncatedExponential(maximumBackoff, CoreDecision.UNLIMITED);
  }

  /**
   * Returns the truncated exponential backoff as documented, with the limit that the documentation
   * asks for if a device is to stop some day.
   *
   * @param maximumBackoff typically 32 or 64 seconds; 0 to 292 years
   * @param maxRetries how many retries may be made, at least 0; {@link Integer#MAX_VALUE} for no
   *     limit
   * @throws IllegalArgumentException when one is out of its range
   */
  public static RetryPolicy truncatedExponential(Duration maximumBackoff, int maxRetries) {
    return of(Backoff.truncatedExponential(maximumBackoff), maxRetries);
  }

  /**
   * Returns the policy of a document: its delays and number of retries, those for throttles also
   * where a quota is used up. A hint beyond its ceiling ends the retries, even where the document
   * clamps hints. Its budget, deadline and hedging are for calls and mean nothing to a device.
   */
  public static RetryPolicy of(Policy policy) {
    return of(policy, ThreadLocalRandom::current);
  }

  static RetryPolicy of(Policy policy, Supplier<? extends RandomGenerator> random) {
    return new BackoffPolicy(
        policy.backoff(),
        policy.throttleBackoff(),
        policy.maxRetries(),
        policy.hintCeiling(),
        random);
  }
}
