package dev.reprise.core.strategy;

import dev.reprise.core.Operation;
import dev.reprise.core.budget.RetryBudget;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Plans retries after a second, and when that is over lets them wait for ten more. */
public final class SlowingStrategy extends TokenIssuer {
  public int abandoned;

  @Override
  boolean pacesFirstAttempts() {
    return false;
  }

  @Override
  void recordFirstSuccess(Operation operation) {}

  @Override
  CallState begin(Operation operation) {
    return new CallState(operation, RetryBudget.unlimited());
  }

  @Override
  long furtherDelayNanos(CallState call) {
    return TimeUnit.SECONDS.toNanos(10);
  }

  @Override
  boolean decide(CallState call, Throwable failure, long remainingNanos) {
    call.attempt++;
    call.delayNanos = TimeUnit.SECONDS.toNanos(1);
    return true;
  }

  @Override
  void recordSuccess(CallState call) {}

  @Override
  void abandon(CallState call) {
    abandoned++;
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
  Supplier<String> explanation(CallState call) {
    return () -> "";
  }
}
