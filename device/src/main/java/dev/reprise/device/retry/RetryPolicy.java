package dev.reprise.device.retry;

import dev.reprise.device.error.TransportException;

/**
 * Decides whether a device retries, and when. One policy may serve reconnects and resends, which
 * count in the same way. Implementations are thread-safe and do not block.
 *
 * <p>A policy is never asked about a failure that must not be retried, so it can forbid retries but
 * not allow more of them. A wait that the other side asked for is observed in any case: a delay
 * that is shorter than {@link TransportException#retryAfter()} is lengthened to it, and before a
 * reconnect one below 100 ms to 100 ms.
 */
@FunctionalInterface
public interface RetryPolicy {
  /**
   * Decides what follows a failure.
   *
   * @param currentRetryCount the retries made already: 0 at the first failure
   * @param lastException the latest failure, which is retryable
   */
  RetryDecision getRetryDecision(int currentRetryCount, TransportException lastException);

  /**
   * Returns whether this policy itself decides how much longer to wait after a throttle. If not,
   * which is the default, a client that was throttled when it connected waits for 15 to 25 seconds
   * at least, and twice as long each further time, up to 5 minutes.
   */
  default boolean isSlowerAfterThrottles() {
    return false;
  }
}
