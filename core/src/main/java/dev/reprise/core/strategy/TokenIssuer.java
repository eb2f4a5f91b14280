package dev.reprise.core.strategy;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.core.Operation;
import dev.reprise.core.RetryToken;
import dev.reprise.core.StopReason;
import dev.reprise.core.TokenAcquisitionFailedException;
import java.time.Duration;
import java.util.Objects;

/**
 * The token contract of the Smithy guide "Retrying Requests", made of the decisions of a {@link
 * DecidingStrategy}.
 */
abstract class TokenIssuer extends DecidingStrategy {
  private static final long NO_DEADLINE = Long.MAX_VALUE;

  @Override
  public final RetryToken acquireInitialToken() {
    return acquireInitialToken(Operation.DEFAULT);
  }

  @Override
  public final RetryToken acquireInitialToken(Operation operation) {
    return new IssuedToken(this, begin(operation));
  }

  /**
   * Returns the token of an attempt of an operation that began earlier, for drivers that keep their
   * attempts somewhere and go on after a restart. The cost of earlier retries is not given back
   * when the operation succeeds.
   *
   * @param operation the operation
   * @param attempt the attempt to make now, counted from 1. The driver has done the waiting for it;
   *     it may be beyond {@code maxAttempts}, as settings change, and is then the last one
   * @throws IllegalArgumentException when {@code attempt} is less than 1
   */
  public final RetryToken resume(Operation operation, int attempt) {
    if (attempt < 1) {
      throw new InvalidSettingException("attempt", attempt, "must be >= 1");
    }
    CallState call = begin(operation);
    call.attempt = attempt;
    return new IssuedToken(this, call);
  }

  /**
   * {@inheritDoc}
   *
   * <p>What a rule of the classifier throws comes out of here; the token is used up and nothing
   * else has changed.
   */
  @Override
  public final RetryToken refreshRetryToken(RetryToken token, Throwable failure) {
    Objects.requireNonNull(failure, "failure");
    CallState call = IssuedToken.use(token, this);
    if (decide(call, failure, NO_DEADLINE)) {
      return new IssuedToken(this, call);
    }
    StopReason reason = Objects.requireNonNull(call.stopReason, "stopReason");
    throw new TokenAcquisitionFailedException(
        reason, explain(call), Duration.ofNanos(call.delayNanos));
  }

  @Override
  public final void recordSuccess(RetryToken token) {
    recordSuccess(IssuedToken.use(token, this));
  }

  @Override
  public final void abandon(RetryToken token) {
    abandon(IssuedToken.use(token, this));
  }
}
