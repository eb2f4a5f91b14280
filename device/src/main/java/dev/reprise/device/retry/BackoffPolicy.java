package dev.reprise.device.retry;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.device.error.ErrorKind;
import dev.reprise.device.error.TransportException;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/** The core's decision in the words of a device. Immutable and thread-safe. */
final class BackoffPolicy implements RetryPolicy {
  /** As many retries as anybody will ever count. */
  static final int UNLIMITED = Integer.MAX_VALUE;

  /** A hint may be as long as a long counts nanoseconds. */
  static final Duration NO_CEILING = Duration.ofNanos(Long.MAX_VALUE);

  private final dev.reprise.core.strategy.RetryPolicy usual;
  private final dev.reprise.core.strategy.RetryPolicy slower;
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
    this.usual = new dev.reprise.core.strategy.RetryPolicy(usual, maxRetries, hintCeiling);
    this.slower = new dev.reprise.core.strategy.RetryPolicy(slower, maxRetries, hintCeiling);
    this.random = Objects.requireNonNull(random, "random");
  }

  @Override
  public RetryDecision getRetryDecision(int currentRetryCount, TransportException lastException) {
    requireCount(currentRetryCount);
    boolean isAskedToSlowDown =
        lastException.kind() == ErrorKind.THROTTLE || lastException.kind() == ErrorKind.QUOTA;
    dev.reprise.core.strategy.RetryPolicy policy = isAskedToSlowDown ? slower : usual;

    // A client that counts no further goes on as long as it is allowed to without a limit.
    int retriesMade =
        policy.maxRetries() == UNLIMITED
            ? Math.min(currentRetryCount, UNLIMITED - 1)
            : currentRetryCount;

    // Idempotent, as a device's error says for itself whether it may be tried again; no deadline,
    // as the client keeps that.
    dev.reprise.core.strategy.RetryDecision decision =
        policy.decide(retriesMade, lastException, true, Long.MAX_VALUE, random.get());
    return decision instanceof dev.reprise.core.strategy.RetryDecision.Retry retry
        ? RetryDecision.retryAfter(Duration.ofNanos(retry.delayNanos()))
        : RetryDecision.stop();
  }

  @Override
  public boolean isSlowerAfterThrottles() {
    return !slower.equals(usual);
  }

  static void requireCount(int currentRetryCount) {
    if (currentRetryCount < 0) {
      throw new IllegalArgumentException(
          "currentRetryCount is " + currentRetryCount + ": must be >= 0");
    }
  }

  @Override
  public String toString() {
    return "BackoffPolicy[usual=" + usual + ", slower=" + slower + "]";
  }
}
