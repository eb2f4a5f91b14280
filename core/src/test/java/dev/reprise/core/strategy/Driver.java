package dev.reprise.core.strategy;

import dev.reprise.core.Operation;
import dev.reprise.core.RetryToken;
import dev.reprise.core.StopReason;
import dev.reprise.core.TokenAcquisitionFailedException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** One call under a strategy, through either of the two ways into its decisions. */
interface Driver {
  /** What follows a failure: a retry after a delay, or a reason and a pause. */
  record Outcome(@Nullable StopReason stop, Duration delay) {}

  Outcome fail(Throwable failure);

  void succeed();

  /** The way of {@code Retry}. */
  static Driver calls(DecidingStrategy strategy, Operation operation) {
    CallState call = strategy.begin(operation);
    return new Driver() {
      @Override
      public Outcome fail(Throwable failure) {
        strategy.decide(call, failure, Long.MAX_VALUE);
        return new Outcome(call.stopReason, Duration.ofNanos(call.delayNanos));
      }

      @Override
      public void succeed() {
        strategy.recordSuccess(call);
      }
    };
  }

  /** The way of the Smithy guide. */
  static Driver tokens(DecidingStrategy strategy, Operation operation) {
    return new Driver() {
      private RetryToken token = strategy.acquireInitialToken(operation);

      @Override
      public Outcome fail(Throwable failure) {
        try {
          token = strategy.refreshRetryToken(token, failure);
          return new Outcome(null, token.delay());
        } catch (TokenAcquisitionFailedException e) {
          return new Outcome(e.reason(), e.delay());
        }
      }

      @Override
      public void succeed() {
        strategy.recordSuccess(token);
      }
    };
  }
}
