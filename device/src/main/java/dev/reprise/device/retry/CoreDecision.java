package dev.reprise.device.retry;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.strategy.RetryDecision;
import dev.reprise.core.strategy.RetryPolicy;
import dev.reprise.device.error.TransportException;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Asks the core's policy for a device. In this file {@code RetryPolicy} and {@code RetryDecision}
 * are those of the core.
 */
record CoreDecision(RetryPolicy policy) {
  /** The number of retries that means no limit. */
  static final int UNLIMITED = Integer.MAX_VALUE;

  CoreDecision(Backoff backoff, int maxRetries, Duration hintCeiling) {
    this(new RetryPolicy(backoff, maxRetries, hintCeiling));
  }

  /** Returns how long to wait before the next retry, or null if there is none. */
  @Nullable Duration delay(
      int currentRetryCount, TransportException failure, RandomGenerator random) {
    // A client that counts no further goes on as long as it is allowed to without a limit.
    int retriesMade =
        policy.maxRetries() == UNLIMITED
            ? Math.min(currentRetryCount, UNLIMITED - 1)
            : currentRetryCount;

    // Idempotent, because the error itself says whether it may be retried; no deadline, because the
    // client keeps that.
    RetryDecision decision = policy.decide(retriesMade, failure, true, Long.MAX_VALUE, random);
    return decision instanceof RetryDecision.Retry retry
        ? Duration.ofNanos(retry.delayNanos())
        : null;
  }
}
