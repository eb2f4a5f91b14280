package dev.reprise.core.retry;

import dev.reprise.core.StopReason;
import dev.reprise.core.strategy.CallState;
import dev.reprise.core.strategy.StrategyDriver;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Runs one operation after the other attempt on the calling thread, and waits between them. */
final class BlockingLoop {
  private BlockingLoop() {}

  static <T extends @Nullable Object, X extends Exception> T run(
      RetryEngine engine, StrategyDriver strategy, CheckedSupplier<T, X> operation) throws X {
    if (engine.needsThreads()) {
      return await(AsyncCall.blocking(engine, strategy, operation));
    }
    long startNanos = engine.operationStarted();
    CallState call = strategy.begin(engine.operation);
    waitForFirstAttempt(engine, strategy, call, startNanos);
    return BlockingLoop.<T, X>outcome(loop(null, engine, strategy, operation, call, startNanos));
  }

  /** Runs an operation that needs nothing but a deadline, with a strategy that does not pace. */
  static <T extends @Nullable Object, X extends Exception> T runTimed(
      RetryEngine engine, StrategyDriver strategy, CheckedSupplier<T, X> operation) throws X {
    // The deadline counts from here, so the clock is read whatever becomes of the attempt.
    long startNanos = engine.operationStarted();
    long mark = NestedRetry.mark();
    T result;
    try {
      result = operation.get();
    } catch (Throwable failure) {
      return BlockingLoop.<T, X>outcome(
          runAfter(failure, mark, engine, strategy, operation, startNanos));
    }
    engine.recordFirstSuccess(strategy);
    return result;
  }

  /**
   * The outcome of an operation that failed. It is returned and not thrown, up to the method that
   * the program called: each compiled frame that an exception passes costs as much as a lock.
   */
  private record Failed(Throwable failure) {}

  /** Returns the result that {@link #runAfter} has returned, or throws the failure. */
  @SuppressWarnings({"unchecked", "NullAway", "TypeParameterUnusedInFormals"}) // Else it is a T.
  static <T extends @Nullable Object, X extends Exception> T outcome(@Nullable Object outcome)
      throws X {
    if (outcome instanceof Failed failed) {
      throw BlockingLoop.<X>unchanged(failed.failure);
    }
    return (T) outcome;
  }

  /**
   * Goes on after a first attempt that failed; no listener is set.
   *
   * @return what {@link #outcome} makes the outcome of
   */
  static <T extends @Nullable Object> @Nullable Object runAfter(
      Throwable failure,
      long mark,
      RetryEngine engine,
      StrategyDriver strategy,
      CheckedSupplier<T, ?> operation,
      long startNanos) {
    RetryEngine.restoreInterrupt(failure);
    CallState call = engine.decideFirst(strategy, failure, mark, startNanos);
    if (call.stopReason() != null) {
      pause(engine, call.delayNanos());
    } else {
      StopReason cut = waitForRetry(engine, strategy, call, startNanos);
      if (cut == null) {
        return loop(failure, engine, strategy, operation, call, startNanos);
      }
      call = call.own();
      engine.abandon(strategy, call, cut, failure);
    }
    engine.judge.finish(strategy, call, 1, failure, null, mark);
    return new Failed(failure);
  }

  /**
   * Makes attempts until one succeeds or none follows.
   *
   * @param before the failure of the attempt before the first one made here; null for none
   * @return what {@link #outcome} makes the outcome of
   */
  @SuppressWarnings("NullAway") // It does not see that a T may be null.
  private static <T extends @Nullable Object> @Nullable Object loop(
      @Nullable Throwable before,
      RetryEngine engine,
      StrategyDriver strategy,
      CheckedSupplier<T, ?> operation,
      CallState begun,
      long startNanos) {
    CallState call = begun;
    Throwable previous = before;
    EarlierFailures earlier = null;
    while (true) {
      T result = null;
      Throwable failure = null;
      long attemptStartNanos = engine.events.attemptStarted();
      int attempt = call.attempt();
      long mark = NestedRetry.mark();
      try {
        result = operation.get();
      } catch (Throwable thrown) {
        failure = thrown;
      }
      boolean rejected = false;
      if (failure == null) {
        failure = engine.judge.failureOf(result);
        if (failure == null) {
          engine.recordSuccess(strategy, call);
          engine.events.success(attempt, attemptStartNanos);
          return result;
        }
        rejected = failure instanceof RejectedResultException;
      }
      RetryEngine.restoreInterrupt(failure);
      if (previous != null) {
        earlier = EarlierFailures.with(earlier, previous);
      }
      previous = failure;

      call = call.own();
      if (!engine.judge.decide(strategy, call, failure, engine.remainingNanos(startNanos), mark)) {
        engine.events.stop(attempt, failure, attemptStartNanos, call.stopReason());
        pause(engine, call.delayNanos());
        // Not by its type alone: a Retry within the operation may have thrown one.
        if (rejected) {
          return result;
        }
        engine.discard(result);
        engine.judge.finish(strategy, call, attempt, failure, earlier, mark);
        return new Failed(failure);
      }
      engine.events.retry(attempt, failure, attemptStartNanos, call.delayNanos());
      engine.discard(result);

      StopReason cut = waitForRetry(engine, strategy, call, startNanos);
      if (cut != null) {
        engine.abandon(strategy, call, cut, failure);
        engine.judge.finish(strategy, call, attempt, failure, earlier, mark);
        return new Failed(failure);
      }
    }
  }

  /** Waits; returns why the retry cannot be made, or null when it can. */
  private static @Nullable StopReason waitForRetry(
      RetryEngine engine, StrategyDriver strategy, CallState call, long startNanos) {
    long delayNanos = call.delayNanos();
    if (delayNanos == 0) {
      delayNanos = strategy.furtherDelayNanos(call);
    }
    while (delayNanos > 0) {
      try {
        engine.time.sleep(delayNanos);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return StopReason.INTERRUPTED;
      }
      // A machine that was busy or asleep may wake us late.
      if (engine.remainingNanos(startNanos) < 0) {
        return StopReason.DEADLINE;
      }
      delayNanos = strategy.furtherDelayNanos(call);
      // A strategy that paces has become slower meanwhile.
      if (delayNanos > engine.remainingNanos(startNanos)) {
        return StopReason.DEADLINE;
      }
    }
    return Thread.currentThread().isInterrupted() ? StopReason.INTERRUPTED : null;
  }

  /** Waits as long as the strategy paces first attempts, but not beyond the deadline. */
  private static void waitForFirstAttempt(
      RetryEngine engine, StrategyDriver strategy, CallState call, long startNanos) {
    long delayNanos = call.delayNanos();
    while (delayNanos > 0) {
      // The first attempt is made in any case, so it is better made in time.
      long remainingNanos = engine.remainingNanos(startNanos);
      if (remainingNanos <= 0) {
        return;
      }
      try {
        engine.time.sleep(Math.min(delayNanos, remainingNanos));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        CancellationException cancelled =
            new CancellationException("interrupted in the wait for the first attempt");
        engine.abandon(strategy, call, StopReason.INTERRUPTED, cancelled);
        throw cancelled;
      }
      delayNanos = strategy.furtherDelayNanos(call);
    }
  }

  /** Waits before a failure is surfaced, as long polls must; an interrupt ends it. */
  private static void pause(RetryEngine engine, long delayNanos) {
    if (delayNanos > 0) {
      try {
        engine.time.sleep(delayNanos);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Waits for an operation whose attempts run on other threads. */
  private static <T extends @Nullable Object, X extends Exception> T await(AsyncCall<T> call)
      throws X {
    try {
      return call.get();
    } catch (ExecutionException e) {
      Throwable failure = e.getCause() == null ? e : e.getCause();
      throw BlockingLoop.<X>unchanged(failure);
    } catch (InterruptedException e) {
      call.interrupt();
      try {
        // Over by now: by the interrupt, or by a result that came just before it.
        return await(call);
      } finally {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** The operation's own failure, checked or not, as the compiler knows it from its signature. */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <X extends Exception> X unchanged(Throwable failure) throws X {
    if (failure instanceof Error error) {
      throw error;
    }
    return (X) failure;
  }
}
