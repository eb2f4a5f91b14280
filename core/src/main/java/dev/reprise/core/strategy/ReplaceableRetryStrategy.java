package dev.reprise.core.strategy;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.core.Operation;
import dev.reprise.core.RetryStrategy;
import dev.reprise.core.RetryToken;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A strategy that can be replaced while a program runs, such as when its configuration changes. A
 * call keeps the strategy that it began with to its end; calls that begin later get the new one.
 *
 * <p>What the new strategy shares with the old one is the caller's choice: one that is built with
 * {@link StandardRetryStrategy#toBuilder()} keeps the budgets, another one starts with full ones.
 * Thread-safe.
 */
public final class ReplaceableRetryStrategy implements RetryStrategy {
  private volatile StrategyDriver current;

  ReplaceableRetryStrategy(RetryStrategy first) {
    this.current = driverOf(first);
  }

  /**
   * Replaces the strategy for all calls that begin from now on.
   *
   * @throws IllegalArgumentException when the strategy can itself be replaced
   */
  public void replaceWith(RetryStrategy next) {
    current = driverOf(Objects.requireNonNull(next, "next"));
  }

  private static StrategyDriver driverOf(RetryStrategy strategy) {
    // Two of them could be given each other, and then neither would have a strategy.
    if (strategy instanceof ReplaceableRetryStrategy) {
      throw new InvalidSettingException("strategy", strategy, "must not be replaceable itself");
    }
    return StrategyDriver.of(strategy);
  }

  /** Returns the driver of the strategy that a call which begins now keeps to its end. */
  StrategyDriver current() {
    return current;
  }

  /** A token, and the strategy that issued it. */
  private record Token(ReplaceableRetryStrategy owner, RetryStrategy issuer, RetryToken token)
      implements RetryToken {
    @Override
    public Duration delay() {
      return token.delay();
    }

    @Override
    public int attempt() {
      return token.attempt();
    }

    @Override
    public @Nullable String scope() {
      return token.scope();
    }

    /** Records are equal by their parts; a token is equal to nothing but itself. */
    @Override
    public boolean equals(@Nullable Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }

    @Override
    public String toString() {
      return token.toString();
    }
  }

  @Override
  public RetryToken acquireInitialToken() {
    return acquireInitialToken(Operation.DEFAULT);
  }

  @Override
  public RetryToken acquireInitialToken(Operation operation) {
    RetryStrategy issuer = current.strategy();
    return new Token(this, issuer, issuer.acquireInitialToken(operation));
  }

  @Override
  public RetryToken refreshRetryToken(RetryToken token, Throwable failure) {
    Token ours = ours(token);
    return new Token(this, ours.issuer, ours.issuer.refreshRetryToken(ours.token, failure));
  }

  @Override
  public void recordSuccess(RetryToken token) {
    Token ours = ours(token);
    ours.issuer.recordSuccess(ours.token);
  }

  @Override
  public void abandon(RetryToken token) {
    Token ours = ours(token);
    ours.issuer.abandon(ours.token);
  }

  private Token ours(RetryToken token) {
    if (token instanceof Token ours && ours.owner == this) {
      return ours;
    }
    throw new IllegalArgumentException(
        "token is " + token + ": must be one that this strategy issued");
  }

  @Override
  public String toString() {
    return "replaceable, now " + current;
  }
}
