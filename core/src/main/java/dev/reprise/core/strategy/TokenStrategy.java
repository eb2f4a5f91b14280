package dev.reprise.core.strategy;

import dev.reprise.core.Operation;
import dev.reprise.core.RetryStrategy;
import dev.reprise.core.RetryToken;
import dev.reprise.core.StopReason;
import dev.reprise.core.TokenAcquisitionFailedException;
import dev.reprise.core.budget.RetryBudget;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Any strategy that is not ours, driven through the token contract. */
final class TokenStrategy extends DecidingStrategy {
  private final RetryStrategy strategy;

  private TokenStrategy(RetryStrategy strategy) {
    this.strategy = strategy;
  }

  static DecidingStrategy driving(RetryStrategy strategy) {
    return new TokenStrategy(strategy);
  }

  /** A call with the token of its latest attempt. */
  private static final class TokenCall extends CallState {
    /** Null when the strategy gave none: the one attempt is made, and nothing is told of it. */
    @Nullable RetryToken token;

    @Nullable TokenAcquisitionFailedException refusal;

    TokenCall(Operation operation) {
      super(operation, RetryBudget.unlimited());
    }
  }

  @Override
  public RetryToken acquireInitialToken() {
    return strategy.acquireInitialToken();
  }

  @Override
  public RetryToken acquireInitialToken(Operation operation) {
    return strategy.acquireInitialToken(operation);
  }

  @Override
  public RetryToken refreshRetryToken(RetryToken token, Throwable failure) {
    return strategy.refreshRetryToken(token, failure);
  }

  @Override
  public void recordSuccess(RetryToken token) {
    strategy.recordSuccess(token);
  }

  @Override
  public void abandon(RetryToken token) {
    strategy.abandon(token);
  }

  /** Returns the name of the strategy that it drives. */
  @Override
  public String toString() {
    return strategy.toString();
  }

  @Override
  boolean pacesFirstAttempts() {
    return true;
  }

  @Override
  void recordFirstSuccess(Operation operation) {
    strategy.recordSuccess(strategy.acquireInitialToken(operation));
  }

  @Override
  CallState begin(Operation operation) {
    TokenCall call = new TokenCall(operation);
    try {
      RetryToken token = strategy.acquireInitialToken(operation);
      call.token = token;
      call.delayNanos = nanos(token.delay());
    } catch (TokenAcquisitionFailedException refused) {
      call.refusal = refused;
    }
    return call;
  }

  @Override
  boolean decide(CallState state, Throwable failure, long remainingNanos) {
    TokenCall call = (TokenCall) state;
    RetryToken token = call.token;
    if (token == null) {
      return call.stop(Objects.requireNonNull(call.refusal, "refusal").reason());
    }
    RetryToken next;
    try {
      next = strategy.refreshRetryToken(token, failure);
    } catch (TokenAcquisitionFailedException refused) {
      call.refusal = refused;
      return call.stopAfter(nanos(refused.delay()), refused.reason());
    }
    long delayNanos = nanos(next.delay());
    // The strategy knows no deadline: what it charged for this retry must be given back.
    if (delayNanos > remainingNanos) {
      strategy.abandon(next);
      return call.stop(StopReason.DEADLINE);
    }
    call.token = next;
    call.attempt++;
    call.delayNanos = delayNanos;
    return true;
  }

  @Override
  void recordSuccess(CallState state) {
    RetryToken token = ((TokenCall) state).token;
    if (token != null) {
      strategy.recordSuccess(token);
    }
  }

  @Override
  void abandon(CallState state) {
    RetryToken token = ((TokenCall) state).token;
    if (token != null) {
      strategy.abandon(token);
    }
  }

  @Override
  boolean payForHedge(CallState call) {
    return false;
  }

  @Override
  boolean isThrottle(CallState call, Throwable failure) {
    return false;
  }

  @Override
  @Nullable StandardRetryStrategy standard() {
    return null;
  }

  @Override
  Supplier<String> explanation(CallState state) {
    TokenAcquisitionFailedException refusal = ((TokenCall) state).refusal;
    String message = refusal == null ? null : refusal.getMessage();
    return () -> message == null ? "" : message;
  }

  /** A delay that is missing or negative is none; one too long for a long is the longest. */
  private static long nanos(@Nullable Duration delay) {
    if (delay == null || delay.isNegative()) {
      return 0;
    }
    return delay.compareTo(Duration.ofNanos(Long.MAX_VALUE)) > 0 ? Long.MAX_VALUE : delay.toNanos();
  }
}
