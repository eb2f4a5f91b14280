package dev.reprise.core.retry;

import dev.reprise.core.Operation;
import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetryStrategy;
import dev.reprise.core.StopReason;
import dev.reprise.core.classify.Classifier;
import dev.reprise.core.retry.ContextCapture.Snapshot;
import dev.reprise.core.strategy.CallState;
import dev.reprise.core.strategy.StrategyDriver;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a {@link Retry}, and the steps that blocking and asynchronous operations have in
 * common. Immutable and thread-safe.
 */
final class RetryEngine {
  private static final Logger LOG = System.getLogger("dev.reprise.core.retry");
  private static final long NONE = Long.MAX_VALUE;

  /** What an operation returns that has no result, and no rule is asked about. */
  static final Object NO_RESULT = "no result";

  /** Of all operations that are nested, each of which attaches eleven at most. */
  private static final int MOST_ATTACHED = 100;

  final String name;
  private final StrategyDriver strategy;
  final Operation operation;
  final TimeSource time;
  final @Nullable Hedging hedging;
  final @Nullable ContextCapture context;
  private final @Nullable Executor executor;
  private final long deadlineNanos;
  private final long attemptTimeoutNanos;
  private final @Nullable Predicate<? super Throwable> abortCondition;
  private final List<ResultRule<?>> resultRules;
  final AttemptEvents events;
  private final Consumer<Object> discard;

  RetryEngine(RetryBuilder settings, RetryStrategy strategy) {
    this.name = settings.name;
    this.strategy = StrategyDriver.of(strategy);
    this.operation = settings.operation;
    this.time = settings.time;
    this.hedging = settings.hedging;
    this.context = settings.context;
    this.executor = settings.executor;
    this.deadlineNanos = settings.deadline == null ? NONE : settings.deadline.toNanos();
    this.attemptTimeoutNanos =
        settings.attemptTimeout == null ? NONE : settings.attemptTimeout.toNanos();
    this.abortCondition = settings.abortCondition;
    this.resultRules = List.copyOf(settings.resultRules);
    this.events = new AttemptEvents(settings);
    this.discard = settings.discard;
  }

  /** Returns the strategy that a call which begins now keeps to its end. */
  StrategyDriver strategy() {
    return strategy.current();
  }

  /** Returns the settings of a call, each followed by a comma, for people. */
  String settings() {
    return (operation.idempotent() ? "idempotent, " : "")
        + (operation.scope() == null ? "" : "scope " + operation.scope() + ", ")
        + (deadlineNanos == NONE ? "" : "deadline " + Duration.ofNanos(deadlineNanos) + ", ")
        + (attemptTimeoutNanos == NONE
            ? ""
            : "attemptTimeout " + Duration.ofNanos(attemptTimeoutNanos) + ", ")
        + (hedging == null ? "" : hedging + ", ");
  }

  /** Returns whether a condition of the program forbids the retry, whatever the strategy says. */
  boolean isAborted(Throwable failure) {
    return abortCondition != null && abortCondition.test(failure);
  }

  /** Returns how long an operation may take, or {@link Long#MAX_VALUE} when nothing limits it. */
  long deadlineNanos() {
    return deadlineNanos;
  }

  /** Returns true when a first attempt that succeeds needs nothing but to be recorded. */
  boolean isPlain() {
    return !events.areHeard()
        && deadlineNanos == NONE
        && attemptTimeoutNanos == NONE
        && hedging == null
        && resultRules.isEmpty();
  }

  /** Returns true when attempts must be cut off or doubled, which takes a thread apiece. */
  boolean needsThreads() {
    return attemptTimeoutNanos != NONE || hedging != null;
  }

  /** Returns where asynchronous attempts run that are not the first. */
  Executor asyncExecutor() {
    return executor == null ? DefaultExecutors.async() : executor;
  }

  /** Returns where blocking attempts run that must not block the caller. */
  Executor blockingExecutor() {
    return executor == null ? DefaultExecutors.blocking() : executor;
  }

  /**
   * Returns where decisions are made that must not wait for the attempts of others: a program's own
   * executor may be full of the very callers who wait for them. Where time is not the system's,
   * whoever moves it wants all of it on his own executor.
   */
  Executor stepExecutor() {
    return executor == null || time != TimeSource.system()
        ? asyncExecutor()
        : DefaultExecutors.blocking();
  }

  /** Leaves the timer's thread, which all operations of the program wait for. */
  void offTimer(Runnable work) {
    try {
      stepExecutor().execute(work);
    } catch (Throwable rejected) {
      offTimerWithoutExecutor(work);
    }
  }

  /** Leaves the timer's thread when the program's own executor takes nothing any more. */
  void offTimerWithoutExecutor(Runnable work) {
    try {
      DefaultExecutors.async().execute(work);
    } catch (Throwable noThread) {
      // An operation that never ends would be worse than a timer that is held up.
      work.run();
    }
  }

  /** Returns what the caller's thread carries, or null when nothing of it is wanted. */
  @Nullable Snapshot captureContext() {
    if (context == null) {
      return null;
    }
    try {
      return context.capture();
    } catch (Throwable e) {
      LOG.log(Level.WARNING, () -> name + ": a context could not be captured", e);
      return null;
    }
  }

  /** Runs the work in the context or, when that throws, without it: the work is done once. */
  void runIn(@Nullable Snapshot snapshot, Runnable work) {
    if (snapshot == null) {
      work.run();
      return;
    }
    boolean[] begun = new boolean[1];
    try {
      snapshot.run(
          () -> {
            begun[0] = true;
            work.run();
          });
    } catch (Throwable e) {
      LOG.log(Level.WARNING, () -> name + ": a context could not be entered or left", e);
    }
    if (!begun[0]) {
      work.run();
    }
  }

  /** Cancels a stage that can be cancelled; what it brings nevertheless is discarded. */
  void cancel(CompletionStage<?> stage) {
    try {
      stage.toCompletableFuture().cancel(true);
    } catch (UnsupportedOperationException e) {
      // The contract of stages allows it: then there is nothing to cancel.
      return;
    } catch (Throwable e) {
      LOG.log(Level.WARNING, () -> name + ": an attempt could not be cancelled", e);
    }
  }

  /**
   * Sets the flag again that was cleared when the operation threw. Whoever called us must see it,
   * for what he sees as our failure may no longer look like an interrupt.
   */
  static void restoreInterrupt(Throwable failure) {
    if (Classifier.isInterrupt(failure)) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns the time at which an operation starts; 0 when nobody will ask for it. */
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

  /**
   * Decides what follows a failure; see {@link StrategyDriver#decide}.
   *
   * @param attemptMark what {@link NestedRetry#mark} was when the attempt started
   */
  boolean decide(
      StrategyDriver strategy,
      CallState call,
      Throwable failure,
      long remainingNanos,
      long attemptMark) {
    // An Error says that the program itself is broken, and repeating will not mend it. Not even
    // rules are asked: they may be what broke.
    if (failure instanceof Error) {
      return call.stop(StopReason.NOT_RETRYABLE);
    }

    // Layers that all retry would multiply their attempts, just when the other side is down.
    if (NestedRetry.gaveUp(failure, attemptMark)) {
      return call.stop(StopReason.NOT_RETRYABLE);
    }

    // The deadline cut the attempt off. What else might be said of it does not matter any more.
    if (failure instanceof AttemptTimeoutException && remainingNanos <= 0) {
      return call.stop(StopReason.DEADLINE);
    }

    try {
      // The program knows better than the strategy that this one is not to be repeated.
      if (isAborted(failure)) {
        return call.stop(StopReason.NOT_RETRYABLE);
      }
      return strategy.decide(call, failure, remainingNanos);
    } catch (Throwable brokenRule) {
      // What a rule throws must be seen, but it must not hide what went wrong before.
      attach(failure, brokenRule);
      return call.stop(StopReason.NOT_RETRYABLE);
    }
  }

  /** Returns why the result is not accepted, or null when it is. */
  @Nullable Throwable judge(@Nullable Object result) {
    if (result == NO_RESULT) {
      return null;
    }
    for (ResultRule<?> rule : resultRules) {
      try {
        RetryInfo info = rule.judge(result);
        if (info != null) {
          return new RejectedResultException(info, result);
        }
      } catch (Throwable brokenRule) {
        return brokenRule;
      }
    }
    return null;
  }

  /** Lets go of a result that nobody will see. */
  void discard(@Nullable Object result) {
    if (result == null || result == NO_RESULT) {
      return;
    }
    try {
      discard.accept(result);
    } catch (Throwable e) {
      LOG.log(Level.WARNING, () -> name + ": a discarded result could not be closed", e);
    }
  }

  /** Records a success at the first attempt. Whatever goes wrong, the result is not lost. */
  void recordFirstSuccess(StrategyDriver strategy) {
    try {
      strategy.recordFirstSuccess(operation);
    } catch (Throwable e) {
      LOG.log(Level.WARNING, () -> name + ": a success could not be recorded", e);
    }
  }

  /** Records a success. Whatever goes wrong in bookkeeping, the result is not lost. */
  void recordSuccess(StrategyDriver strategy, CallState call) {
    try {
      strategy.recordSuccess(call);
    } catch (Throwable e) {
      LOG.log(Level.WARNING, () -> name + ": a success could not be recorded", e);
    }
  }

  /** Gives back what was paid for a retry that is not made, and tells why it is not. */
  void abandon(StrategyDriver strategy, CallState call, StopReason reason, Throwable failure) {
    try {
      strategy.abandon(call);
    } catch (Throwable e) {
      LOG.log(Level.WARNING, () -> name + ": a retry could not be abandoned", e);
    }
    call.stop(reason);
    events.notMade(call.attempt(), failure, reason);
  }

  /**
   * Attaches to the last failure of an operation what came before, and why it was the last.
   *
   * @param attempts how many were made
   * @param mark what {@link NestedRetry#mark} was when the attempt started that failed
   */
  void finish(
      StrategyDriver strategy,
      CallState call,
      int attempts,
      Throwable failure,
      @Nullable EarlierFailures earlier,
      long mark) {
    StopReason reason = call.stopReason();
    if (reason == null || failure instanceof Error) {
      return;
    }
    // A failure that is not worth a retry is none of our business: it looks as without us.
    if (attempts == 1 && reason == StopReason.NOT_RETRYABLE) {
      return;
    }
    // A failure that is thrown again and again, such as a constant, must not grow each time. One
    // that an operation within this one gave up on gets another note, for the outermost counts.
    RetryStoppedException note = RetryStoppedException.of(failure);
    if (note != null && (note.number() <= mark || isFull(failure))) {
      return;
    }
    if (earlier != null) {
      earlier.attachTo(failure);
    }
    failure.addSuppressed(
        new RetryStoppedException(reason, attempts, explanation(strategy, call, reason)));
  }

  private @Nullable String explanation(StrategyDriver strategy, CallState call, StopReason reason) {
    try {
      return switch (reason) {
        case BUDGET, HINT_TOO_LONG, DEADLINE -> strategy.explain(call);
        default -> null;
      };
    } catch (Throwable e) {
      LOG.log(Level.WARNING, () -> name + ": the end of an operation could not be explained", e);
      return null;
    }
  }

  /** Lets what went wrong beside a failure be seen with it, once, and without end. */
  static void attach(Throwable failure, Throwable beside) {
    if (beside != failure
        && !isFull(failure)
        && !List.of(failure.getSuppressed()).contains(beside)) {
      failure.addSuppressed(beside);
    }
  }

  /** Returns true for a failure, such as a constant, to which no more is attached. */
  private static boolean isFull(Throwable failure) {
    return failure.getSuppressed().length >= MOST_ATTACHED;
  }
}
