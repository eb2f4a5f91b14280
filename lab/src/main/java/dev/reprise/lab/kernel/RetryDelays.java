package dev.reprise.lab.kernel;

import dev.reprise.core.RetryInfo;
import dev.reprise.core.strategy.RetryDecision;
import dev.reprise.core.strategy.RetryPolicy;
import dev.reprise.policy.StrategyPolicy;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * The delays of a policy document, from the core's policies that are made of it: the backoff after
 * each kind of failure, and the treatment of a hint beyond the ceiling. Deadlines and budgets are
 * beside it. Immutable and thread-safe.
 *
 * @param afterFailure decides when an attempt failed
 * @param afterThrottle decides when the other side refused it
 * @param clampNanos by how much a hint may lengthen a delay at most, with the longest ceiling that
 *     there is in both policies; {@link Long#MAX_VALUE} where hints are not clamped
 */
public record RetryDelays(RetryPolicy afterFailure, RetryPolicy afterThrottle, long clampNanos) {
  /** The answer of {@link #delayNanos} when there is no further attempt. */
  public static final long STOP = -1;

  private static final Duration MAX_CEILING = Duration.ofNanos(Long.MAX_VALUE);

  /** Returns the delays of a policy. */
  public static RetryDelays of(StrategyPolicy policy) {
    Duration ceiling = policy.clampsHints() ? MAX_CEILING : policy.hintCeiling();
    return new RetryDelays(
        new RetryPolicy(policy.backoff(), policy.maxRetries(), ceiling),
        new RetryPolicy(policy.throttleBackoff(), policy.maxRetries(), ceiling),
        policy.clampsHints() ? policy.hintCeiling().toNanos() : Long.MAX_VALUE);
  }

  /**
   * Decides how long to wait after a failed attempt, of an operation that may be repeated.
   *
   * @param retriesMade 0 after the first attempt
   * @return nanoseconds, or {@link #STOP}
   */
  public long delayNanos(int retriesMade, RetryInfo failure, RandomGenerator random) {
    RetryPolicy policy = failure.isThrottle() ? afterThrottle : afterFailure;
    RetryDecision decision = policy.decide(retriesMade, failure, true, Long.MAX_VALUE, random);
    return decision instanceof RetryDecision.Retry retry ? clamped(retry) : STOP;
  }

  private long clamped(RetryDecision.Retry retry) {
    boolean fits =
        clampNanos == Long.MAX_VALUE || retry.delayNanos() - retry.backoffNanos() <= clampNanos;
    return fits ? retry.delayNanos() : retry.backoffNanos() + clampNanos;
  }
}
