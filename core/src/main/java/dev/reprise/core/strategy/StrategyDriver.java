package dev.reprise.core.strategy;

import dev.reprise.core.Operation;
import dev.reprise.core.RetryStrategy;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Drives a strategy without a token for each attempt: what {@code dev.reprise.core.retry.Retry}
 * asks, with the same decisions and the same effect on budgets as the token contract. An operation
 * whose first attempt succeeds costs no object, any other one {@link CallState}. Strategies that
 * are not of {@link RetryStrategies} are driven through their tokens.
 *
 * <p>The loop around one operation:
 *
 * <pre>{@code
 * CallState call = driver.begin(operation);
 * wait(call.delayNanos());
 * while (true) {
 *   try {
 *     Result result = send();
 *     driver.recordSuccess(call);
 *     return result;
 *   } catch (Exception failure) {
 *     if (!driver.decide(call, failure, remainingNanos)) {
 *       throw failure; // because of call.stopReason()
 *     }
 *     wait(call.delayNanos());
 *   }
 * }
 * }</pre>
 *
 * <p>Thread-safe; a {@code CallState} is not. A call must be driven to its end by the driver that
 * began it.
 */
public final class StrategyDriver {
  private final DecidingStrategy strategy;

  /** The source of the strategy of each call; null for one that cannot be replaced. */
  private final @Nullable ReplaceableRetryStrategy replaceable;

  private StrategyDriver(
      DecidingStrategy strategy, @Nullable ReplaceableRetryStrategy replaceable) {
    this.strategy = strategy;
    this.replaceable = replaceable;
  }

  /** Returns a driver of the strategy. */
  public static StrategyDriver of(RetryStrategy strategy) {
    Objects.requireNonNull(strategy, "strategy");
    return !(strategy instanceof DecidingStrategy)
            && strategy instanceof ReplaceableRetryStrategy source
        ? new StrategyDriver(source.current().strategy, source)
        : new StrategyDriver(DecidingStrategy.of(strategy), null);
  }

  /**
   * Returns the driver for a call that begins now: this one, or that of the strategy which has
   * replaced it.
   */
  public StrategyDriver current() {
    return replaceable == null ? this : replaceable.current();
  }

  DecidingStrategy strategy() {
    return strategy;
  }

  /** Returns true for a strategy of {@link RetryStrategies}, which can pay for hedges. */
  public boolean paysForHedges() {
    return !(strategy instanceof TokenStrategy);
  }

  /** Returns true if first attempts may have to wait, so that each needs a {@link #begin}. */
  public boolean pacesFirstAttempts() {
    return strategy.pacesFirstAttempts();
  }

  /** Records an operation whose first attempt succeeded, and which was not begun. */
  public void recordFirstSuccess(Operation operation) {
    strategy.recordFirstSuccess(operation);
  }

  /** Begins an operation; {@link CallState#delayNanos()} is the delay of its first attempt. */
  public CallState begin(Operation operation) {
    return strategy.begin(operation);
  }

  /**
   * Returns how much longer to wait before an attempt that has waited for its {@link
   * CallState#delayNanos()}, in nanoseconds; 0 if it may start. A strategy that paces may have
   * become slower or faster meanwhile.
   */
  public long furtherDelayNanos(CallState call) {
    return strategy.furtherDelayNanos(call);
  }

  /**
   * Decides what follows a failed attempt. If it returns true, {@link CallState#attempt()} and
   * {@link CallState#delayNanos()} are those of the retry, and the retry is paid for. If it returns
   * false, {@link CallState#stopReason()} tells why, and the delay is how long to wait before the
   * failure is surfaced. An exception of a rule of the classifier passes through; nothing has
   * changed then.
   *
   * @param remainingNanos the time to the deadline, or {@link Long#MAX_VALUE} if there is none
   */
  public boolean decide(CallState call, Throwable failure, long remainingNanos) {
    return strategy.decide(call, failure, remainingNanos);
  }

  /** Returns true if {@link #decideFirst} can be asked. */
  public boolean decidesFirst() {
    return strategy instanceof StandardRetryStrategy;
  }

  /**
   * Decides on the failure of the first attempt of an operation that has no deadline and was not
   * begun, as {@link #begin} and {@link #decide} do. The answer may be shared with other calls,
   * also of other threads: nobody changes it, and who goes on with it takes {@link CallState#own}.
   *
   * @param latest an earlier answer, which is given again if it is the same; null for none
   */
  public CallState decideFirst(Operation operation, Throwable failure, @Nullable CallState latest) {
    return ((StandardRetryStrategy) strategy).decideFirst(operation, failure, latest);
  }

  /** Records that the latest attempt of the call succeeded. */
  public void recordSuccess(CallState call) {
    strategy.recordSuccess(call);
  }

  /** Gives back the cost of the next attempt, because it is not made. */
  public void abandon(CallState call) {
    strategy.abandon(call);
  }

  /**
   * Pays for a hedge, an attempt beside one that has not failed. Returns false if it is denied; if
   * it returns true, the call has one attempt more.
   */
  public boolean payForHedge(CallState call) {
    return strategy.payForHedge(call);
  }

  /**
   * Takes in the failure of an attempt that another one runs beside; returns true if the other side
   * throttles. May be called by several threads at once.
   */
  public boolean isThrottle(CallState call, Throwable failure) {
    return strategy.isThrottle(call, failure);
  }

  /**
   * Returns the rules and numbers that decide, or null for a strategy that is not of {@link
   * RetryStrategies}.
   */
  public @Nullable StandardRetryStrategy standard() {
    return strategy.standard();
  }

  /**
   * Returns why a call ended, with the numbers of now and the setting that would change it. They
   * are put into words when these are asked for; any thread may do so.
   */
  public Supplier<String> explanation(CallState call) {
    return strategy.explanation(call);
  }

  /** Explains why a call ended, with the numbers and the setting that would change it. */
  public String explain(CallState call) {
    return strategy.explain(call);
  }

  /** Returns the name of the strategy. */
  @Override
  public String toString() {
    return strategy.toString();
  }
}
