package dev.reprise.core.strategy;

import dev.reprise.core.RetryStrategy;
import dev.reprise.core.RetryToken;
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
  private final CallState call;
  private final int attempt;
  private final long delayNanos;

  @SuppressWarnings("UnusedVariable") // Read and written through USED.
  private volatile boolean used;

  IssuedToken(RetryStrategy owner, CallState call) {
    this.owner = owner;
    this.call = call;
    this.attempt = call.attempt;
    this.delayNanos = call.delayNanos;
  }

  /**
   * Uses the token up; of several threads that try, one succeeds.
   *
   * @return the state of the call, now the caller's alone
   * @throws IllegalArgumentException when the token is not one that the strategy issued, or was
   *     used before
   */
  static CallState use(@Nullable RetryToken token, RetryStrategy strategy) {
    if (!(token instanceof IssuedToken issued) || issued.owner != strategy) {
      throw new IllegalArgumentException(
          "token is " + token + ": must be one that this strategy issued");
    }
    if (!USED.compareAndSet(issued, false, true)) {
      throw new IllegalArgumentException("token is " + token + ": was used before");
    }
    return issued.call;
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
    return call.operation.scope();
  }

  @Override
  public String toString() {
    return "token of attempt " + attempt + ", delay " + delay();
  }
}
