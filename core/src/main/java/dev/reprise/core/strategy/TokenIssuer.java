package dev.reprise.core.strategy;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.core.Operation;
import dev.reprise.core.RetryToken;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The token contract of the Smithy guide "Retrying Requests", made of the decisions of a {@link
 * DecidingStrategy}.
 */
abstract class TokenIssuer extends DecidingStrategy {
  private static final long NO_DEADLINE = Long.MAX_VALUE;

  /** The latest decision on a first failure that calls share; null before it. */
  private volatile @Nullable CallState latestFirst;

  @Override
  public final RetryToken acquireInitialToken() {
    return acquireInitialToken(Operation.DEFAULT);
  }

  @Override
  public final RetryToken acquireInitialToken(Operation operation) {
    return IssuedToken.of(this, beginLate(operation));
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
    return IssuedToken.of(this, call);
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
    return IssuedToken.after(decided(IssuedToken.use(token, this), failure), this);
  }

  private CallState decided(Object state, Throwable failure) {
    if (state instanceof Operation notBegun) {
      CallState latest = latestFirst;
      CallState call = decideFirst(notBegun, failure, latest);
      // Operations that take turns must not make their threads fight for this field.
      if (call.isShared() && (latest == null || call.replaces(latest))) {
        latestFirst = call;
      }
      return call;
    }
    CallState call = ((CallState) state).own();
    decide(call, failure, NO_DEADLINE);
    return call;
  }

  @Override
  public final void recordSuccess(RetryToken token) {
    Object state = IssuedToken.use(token, this);
    if (state instanceof Operation notBegun) {
      recordFirstSuccess(notBegun);
    } else {
      recordSuccess((CallState) state);
    }
  }

  @Override
  public final void abandon(RetryToken token) {
    // A first attempt has cost nothing unless it was begun.
    if (IssuedToken.use(token, this) instanceof CallState call) {
      abandon(call.own());
    }
  }

  /**
   * Returns the state of an operation before its first attempt: the operation itself if there is
   * nothing else to know until it fails, else what {@link #begin} returns.
   */
  Object beginLate(Operation operation) {
    return begin(operation);
  }

  /**
   * Decides on the first failure of an operation that was not begun; see {@link
   * StrategyDriver#decideFirst}.
   */
  CallState decideFirst(Operation operation, Throwable failure, @Nullable CallState latest) {
    CallState call = begin(operation);
    decide(call, failure, NO_DEADLINE);
    return call;
  }
}
