package dev.reprise.core.strategy;

import dev.reprise.core.Operation;
import dev.reprise.core.RetryStrategy;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A strategy that can be asked without tokens; see {@link StrategyDriver}. */
abstract class DecidingStrategy implements RetryStrategy {
  /**
   * Returns the strategy itself if it decides without tokens, else one that drives it through its
   * tokens.
   */
  static DecidingStrategy of(RetryStrategy strategy) {
    return strategy instanceof DecidingStrategy ours ? ours : TokenStrategy.driving(strategy);
  }

  /** See {@link StrategyDriver#pacesFirstAttempts}. */
  abstract boolean pacesFirstAttempts();

  /** See {@link StrategyDriver#recordFirstSuccess}. */
  abstract void recordFirstSuccess(Operation operation);

  /** See {@link StrategyDriver#begin}. */
  abstract CallState begin(Operation operation);

  /** See {@link StrategyDriver#furtherDelayNanos}. */
  long furtherDelayNanos(CallState call) {
    return 0;
  }

  /** See {@link StrategyDriver#decide}. */
  abstract boolean decide(CallState call, Throwable failure, long remainingNanos);

  /** See {@link StrategyDriver#recordSuccess}. */
  abstract void recordSuccess(CallState call);

  /** See {@link StrategyDriver#abandon}. */
  abstract void abandon(CallState call);

  /** See {@link StrategyDriver#payForHedge}. */
  abstract boolean payForHedge(CallState call);

  /** See {@link StrategyDriver#isThrottle}. */
  abstract boolean isThrottle(CallState call, Throwable failure);

  /** See {@link StrategyDriver#standard}. */
  abstract @Nullable StandardRetryStrategy standard();

  /** See {@link StrategyDriver#explanation}. */
  abstract Supplier<String> explanation(CallState call);

  /** Explains why a call ended, at once. */
  final String explain(CallState call) {
    return explanation(call).get();
  }
}
