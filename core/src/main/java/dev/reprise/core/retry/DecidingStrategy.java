package dev.reprise.core.retry;

import dev.reprise.core.Operation;
import dev.reprise.core.RetryStrategy;
import org.jspecify.annotations.Nullable;

/**
 * A strategy of ours. Beside the token contract it lets {@link Retry} ask for the same decisions
 * without a token for each attempt: first attempts that succeed cost no object at all.
 */
abstract class DecidingStrategy implements RetryStrategy {
  /** Returns the strategy as one of ours; any other is driven through its tokens. */
  static DecidingStrategy of(RetryStrategy strategy) {
    return strategy instanceof DecidingStrategy ours ? ours : new TokenStrategy(strategy);
  }

  /** Returns true when first attempts may have to wait, so that each needs a {@link #begin}. */
  abstract boolean pacesFirstAttempts();

  /** Does what {@code recordSuccess(acquireInitialToken(operation))} does, without the token. */
  abstract void recordFirstSuccess(Operation operation);

  /** Begins an operation; {@link CallState#delayNanos} is the delay of its first attempt. */
  abstract CallState begin(Operation operation);

  /**
   * Returns how much longer to wait before an attempt that has waited for its {@link
   * CallState#delayNanos}; 0 when it may start. A strategy that paces may have become slower or
   * faster meanwhile. Who cannot wait twice may leave this out: the delay alone is enough.
   */
  long furtherDelayNanos(CallState call) {
    return 0;
  }

  /**
   * Decides what follows a failed attempt, in the order: retryable, attempts, hint, deadline,
   * budget. On true, attempt, delay and cost of the call are those of the retry; on false its
   * {@link CallState#stopReason} is set, and its delay is what to wait before surfacing the
   * failure.
   *
   * <p>What a rule of the classifier throws comes out of here, and nothing has changed then.
   *
   * @param remainingNanos time to the deadline, or {@link Long#MAX_VALUE} when there is none
   */
  abstract boolean decide(CallState call, Throwable failure, long remainingNanos);

  /** Tells that the latest attempt of the call succeeded. */
  abstract void recordSuccess(CallState call);

  /** Tells that the attempt that is next is not made: what it cost is given back. */
  abstract void abandon(CallState call);

  /**
   * Pays for a hedge: an attempt beside one that has not failed. Returns false when denied; on
   * true, the call has one attempt more.
   */
  abstract boolean payForHedge(CallState call);

  /**
   * Takes in the failure of an attempt that another one runs beside; returns true when the other
   * side throttles. Called by several threads at once.
   */
  abstract boolean isThrottle(CallState call, Throwable failure);

  /** Returns the rules and numbers that decide; null of a strategy that is not ours. */
  abstract @Nullable StandardRetryStrategy standard();

  /** Explains the stop of a call, with the numbers and the knob that would change it. */
  abstract String explain(CallState call);
}
