package dev.reprise.core.retry;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.core.Operation;
import dev.reprise.core.RetryStrategy;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a {@link Retry}; see {@link RetryBuilder} for what each means. Immutable.
 *
 * @param isOwnStrategy whether the builder made the strategy, of the settings that it was given
 * @param deadline null for none
 * @param attemptTimeout null for none
 */
record RetrySettings(
    String name,
    RetryStrategy strategy,
    boolean isOwnStrategy,
    Operation operation,
    @Nullable Duration deadline,
    @Nullable Duration attemptTimeout,
    @Nullable Hedging hedging,
    @Nullable RetryListener listener,
    RetryThreads threads,
    Judge judge,
    Consumer<Object> discard) {

  RetrySettings {
    if (hedging != null && !operation.idempotent()) {
      throw new InvalidSettingException(
          "hedging", hedging, "needs idempotent(true), for every hedge may take effect");
    }
  }

  /** Returns these settings with what can be told for each call. */
  RetrySettings with(
      Operation newOperation, @Nullable Duration newDeadline, @Nullable RetryListener newListener) {
    return new RetrySettings(
        name,
        strategy,
        isOwnStrategy,
        newOperation,
        newDeadline,
        attemptTimeout,
        hedging,
        newListener,
        threads,
        judge,
        discard);
  }

  /** Returns true if a first attempt that succeeds needs nothing but to be recorded. */
  boolean isPlain() {
    return deadline == null && isPlainButForTime();
  }

  /** Returns true if a first attempt that succeeds needs no more than the time when it started. */
  boolean isPlainButForTime() {
    return listener == null
        && attemptTimeout == null
        && hedging == null
        && judge.resultRules().isEmpty();
  }

  /** Returns the settings of a call, each followed by a comma, for people. */
  @Override
  public String toString() {
    return (operation.idempotent() ? "idempotent, " : "")
        + (operation.scope() == null ? "" : "scope " + operation.scope() + ", ")
        + (deadline == null ? "" : "deadline " + deadline + ", ")
        + (attemptTimeout == null ? "" : "attemptTimeout " + attemptTimeout + ", ")
        + (hedging == null ? "" : hedging + ", ");
  }
}
