package dev.reprise.core.strategy;

import dev.reprise.core.Operation;
import dev.reprise.core.RetryStrategy;
import dev.reprise.core.RetryToken;
import dev.reprise.core.StopReason;
import dev.reprise.core.TokenAcquisitionFailedException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The token of one attempt, of one strategy, for one use. The state of the call moves from token to
 * token: only the thread that wins the use of a token may change it. The values that a token
 * returns never change. Thread-safe.
 */
final class IssuedToken implements RetryToken {
  private static final VarHandle USED;

  static {
    try {
      USED = MethodHandles.lookup().findVarHandle(IssuedToken.class, "used", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final RetryStrategy owner;

  /** The answer of {@link TokenIssuer#beginLate}, or the {@link CallState} of a later attempt. */
  private final Object state;

  private final int attempt;
  private final long delayNanos;

  @SuppressWarnings("UnusedVariable") // Read and written through USED.
  private volatile boolean used;

  private IssuedToken(RetryStrategy owner, Object state) {
    this.owner = owner;
    this.state = state;
    if (state instanceof CallState call) {
      this.attempt = call.attempt;
      this.delayNanos = call.delayNanos;
    } else {
      this.attempt = 1;
      this.delayNanos = 0;
    }
  }

  /** Returns the token of an attempt; the state is as in {@link #use}. */
  static RetryToken of(RetryStrategy owner, Object state) {
    return new IssuedToken(owner, state);
  }

  /**
   * Returns the token of the retry that was decided.
   *
   * @throws TokenAcquisitionFailedException when it was decided that there is none
   */
  static RetryToken after(CallState decided, DecidingStrategy owner) {
    StopReason reason = decided.stopReason;
    if (reason == null) {
      return new IssuedToken(owner, decided);
    }
    throw new TokenAcquisitionFailedException(
        reason, owner.explanation(decided), Duration.ofNanos(decided.delayNanos));
  }

  /**
   * Uses the token up; of several threads that try, one succeeds.
   *
   * @return the state of the call, now the caller's alone unless it is {@linkplain CallState#own
   *     shared}
   * @throws IllegalArgumentException when the token is not one that the strategy issued, or was
   *     used before
   */
  static Object use(@Nullable RetryToken token, RetryStrategy strategy) {
    if (!(token instanceof IssuedToken issued) || issued.owner != strategy) {
      throw new IllegalArgumentException(
          "token is " + token + ": must be one that this strategy issued");
    }
    if (!USED.compareAndSet(issued, false, true)) {
      throw new IllegalArgumentException("token is " + token + ": was used before");
    }
    return issued.state;
  }

  @Override
  public Duration delay() {
    return Duration.ofNanos(delayNanos);
  }

  @Override
  public int attempt() {
    return attempt;
  }

  @Override
  public @Nullable String scope() {
    return state instanceof CallState call ? call.operation.scope() : ((Operation) state).scope();
  }

  @Override
  public String toString() {
    return "token of attempt " + attempt + ", delay " + delay();
  }
}
