package dev.reprise.device;

import dev.reprise.device.error.TransportException;
import dev.reprise.device.retry.ExponentialBackoffWithJitter;
import dev.reprise.device.retry.RetryDecision;
import dev.reprise.device.retry.RetryPolicy;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks retry policies, which may be user code. */
final class Decisions {
  private static final Logger LOG = LoggerFactory.getLogger(Decisions.class);

  private static final RetryPolicy FALLBACK = new ExponentialBackoffWithJitter();

  private Decisions() {}

  /** Asks a policy; one that is broken must not end the connection of a device in the field. */
  static RetryDecision ask(RetryPolicy policy, int retriesMade, TransportException failure) {
    try {
      RetryDecision decision = policy.getRetryDecision(retriesMade, failure);
      if (decision != null) {
        return decision;
      }
      LOG.error("the retry policy {} decided null; the default one decides instead", policy);
    } catch (Throwable e) {
      LOG.error("the retry policy {} threw; the default one decides instead", policy, e);
    }
    return FALLBACK.getRetryDecision(retriesMade, failure);
  }

  /** Returns the delay that a policy decides, or the default one where it wants no more retries. */
  static long delayNanos(RetryPolicy policy, int retriesMade, TransportException failure) {
    RetryDecision decision = ask(policy, retriesMade, failure);
    return nanos(
        decision.shouldRetry()
            ? decision.delay()
            : FALLBACK.getRetryDecision(retriesMade, failure).delay());
  }

  /** Returns a duration in nanoseconds, or {@link Long#MAX_VALUE} where that is too few. */
  static long nanos(Duration duration) {
    try {
      return duration.toNanos();
    } catch (ArithmeticException tooLong) {
      return Long.MAX_VALUE;
    }
  }
}
