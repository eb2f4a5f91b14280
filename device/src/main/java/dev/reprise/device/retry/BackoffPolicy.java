package dev.reprise.device.retry;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.device.error.ErrorKind;
import dev.reprise.device.error.TransportException;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/** Decides with the backoffs of the core. Immutable and thread-safe. */
final class BackoffPolicy implements RetryPolicy {
  /** The longest hint that can be told in nanoseconds, so that none is refused. */
  static final Duration NO_CEILING = Duration.ofNanos(Long.MAX_VALUE);

  private final CoreDecision usual;
  private final CoreDecision slower;
  private final Supplier<? extends RandomGenerator> random;

  /**
   * Creates the policy.
   *
   * @param slower the delays after a throttle, and where a quota is used up
   * @param random asked for a source of randomness at each decision, by the thread that decides
   */
  BackoffPolicy(
      Backoff usual,
      Backoff slower,
      int maxRetries,
      Duration hintCeiling,
      Supplier<? extends RandomGenerator> random) {
    this.usual = new CoreDecision(usual, maxRetries, hintCeiling);
    this.slower = new CoreDecision(slower, maxRetries, hintCeiling);
    this.random = Objects.requireNonNull(random, "random");
  }

  @Override
  public RetryDecision getRetryDecision(int currentRetryCount, TransportException lastException) {
    requireCount(currentRetryCount);
    boolean isAskedToSlowDown =
        lastException.kind() == ErrorKind.THROTTLE || lastException.kind() == ErrorKind.QUOTA;
    CoreDecision decision = isAskedToSlowDown ? slower : usual;
    Duration delay = decision.delay(currentRetryCount, lastException, random.get());
    return delay == null ? RetryDecision.stop() : RetryDecision.retryAfter(delay);
  }

  @Override
  public boolean isSlowerAfterThrottles() {
    return !slower.equals(usual);
  }

  static void requireCount(int currentRetryCount) {
    if (currentRetryCount < 0) {
      throw new InvalidSettingException("currentRetryCount", currentRetryCount, "must be >= 0");
    }
  }

  @Override
  public String toString() {
    return "BackoffPolicy[usual=" + usual + ", slower=" + slower + "]";
  }
}
