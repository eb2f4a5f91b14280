package dev.reprise.core.retry;

import dev.reprise.core.Operation;
import dev.reprise.core.StopReason;
import dev.reprise.core.classify.Classifier;
import dev.reprise.core.strategy.CallState;
import dev.reprise.core.strategy.StrategyDriver;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The steps that blocking and asynchronous operations of a {@link Retry} have in common.
 * Thread-safe; its settings never change.
 */
final class RetryEngine {
  private static final long NONE = Long.MAX_VALUE;

  /** The value that an operation without a result returns; no rule is asked about it. */
  static final Object NO_RESULT = "no result";

  final String name;
  final Operation operation;
  final TimeSource time;
  final @Nullable Hedging hedging;
  final AttemptEvents events;
  final RetryThreads threads;
  final Judge judge;
  private final StrategyDriver strategy;
  private final long deadlineNanos;
  private final long attemptTimeoutNanos;
  private final Consumer<Object> discard;
  private final boolean plain;

  /**
   * The latest decision on the failure of a first attempt, for calls on which the same is decided:
   * it spares them an object. Null before the first one, and where none is shared.
   */
  private volatile @Nullable CallState latestFirstDecision;

  RetryEngine(RetrySettings settings, StrategyDriver strategy) {
    this.name = settings.name();
    this.operation = settings.operation();
    this.threads = settings.threads();
    this.time = threads.time();
    this.hedging = settings.hedging();
    this.events = new AttemptEvents(name, operation, time, settings.listener());
    this.judge = settings.judge();
    this.strategy = strategy;
    this.deadlineNanos = nanos(settings.deadline());
    this.attemptTimeoutNanos = nanos(settings.attemptTimeout());
    this.discard = settings.discard();
    this.plain = settings.isPlain();
  }

  private static long nanos(@Nullable Duration limit) {
    return limit == null ? NONE : limit.toNanos();
  }

  /** Returns the strategy that a call which begins now keeps to its end. */
  StrategyDriver strategy() {
    return strategy.current();
  }

  /** Returns the strategy of calls unless it is replaced. */
  StrategyDriver firstStrategy() {
    return strategy;
  }

  /** Returns true if nothing but its result ends an attempt, and nobody is told of it. */
  boolean isPlain() {
    return plain;
  }

  boolean hasDeadline() {
    return deadlineNanos != NONE;
  }

  /** Returns how long an operation may take, or {@link Long#MAX_VALUE} when nothing limits it. */
  long deadlineNanos() {
    return deadlineNanos;
  }

  /** Returns true when attempts must be cut off or doubled, which takes a thread apiece. */
  boolean needsThreads() {
    return attemptTimeoutNanos != NONE || hedging != null;
  }

  /**
   * Sets the flag again that was cleared when the operation threw. The caller must see the flag,
   * because the failure that it gets may no longer look like an interrupt.
   */
  static void restoreInterrupt(Throwable failure) {
    if (Classifier.isInterrupt(failure)) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns the time at which an operation starts; 0 if it will not be asked for. */
  long operationStarted() {
    return deadlineNanos == NONE ? 0 : time.nanoTime();
  }

  /** Returns the time left to the deadline; negative when it has passed. */
  long remainingNanos(long startNanos) {
    return deadlineNanos == NONE ? NONE : deadlineNanos - (time.nanoTime() - startNanos);
  }

  /**
   * Returns how long an attempt that starts now may take, or {@link Long#MAX_VALUE} when nothing
   * cuts it off.
   */
  long attemptLimitNanos(long startNanos) {
    return Math.min(attemptTimeoutNanos, Math.max(0, remainingNanos(startNanos)));
  }

  /** Releases a result that the caller does not get. */
  void discard(@Nullable Object result) {
    if (result == null || result == NO_RESULT) {
      return;
    }
    try {
      discard.accept(result);
    } catch (Throwable e) {
      RetryLog.warn(name, "a discarded result could not be closed", e);
    }
  }

  /**
   * Decides on the failure of a first attempt that was not begun.
   *
   * @param startNanos when the operation started; not looked at without a deadline
   * @return a state that may be {@linkplain CallState#own shared}
   */
  CallState decideFirst(
      StrategyDriver strategy, Throwable failure, long attemptMark, long startNanos) {
    if (deadlineNanos != NONE) {
      CallState begun = strategy.begin(operation);
      judge.decide(strategy, begun, failure, remainingNanos(startNanos), attemptMark);
      return begun;
    }
    CallState latest = latestFirstDecision;
    CallState call = judge.decideFirst(strategy, operation, failure, attemptMark, latest);
    if (call != latest && call.isShared()) {
      latestFirstDecision = call;
    }
    return call;
  }

  /** Records a success at the first attempt. Whatever goes wrong, the result is not lost. */
  void recordFirstSuccess(StrategyDriver strategy) {
    try {
      strategy.recordFirstSuccess(operation);
    } catch (Throwable e) {
      RetryLog.warn(name, "a success could not be recorded", e);
    }
  }

  /** Records a success. Whatever goes wrong in bookkeeping, the result is not lost. */
  void recordSuccess(StrategyDriver strategy, CallState call) {
    try {
      strategy.recordSuccess(call);
    } catch (Throwable e) {
      RetryLog.warn(name, "a success could not be recorded", e);
    }
  }

  /** Gives back the cost of a retry that is not made, and reports the reason. */
  void abandon(StrategyDriver strategy, CallState call, StopReason reason, Throwable failure) {
    try {
      strategy.abandon(call);
    } catch (Throwable e) {
      RetryLog.warn(name, "a retry could not be abandoned", e);
    }
    call.stop(reason);
    events.notMade(call.attempt(), failure, reason);
  }
}
