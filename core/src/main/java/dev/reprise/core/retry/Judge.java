package dev.reprise.core.retry;

import dev.reprise.core.Operation;
import dev.reprise.core.RetryInfo;
import dev.reprise.core.StopReason;
import dev.reprise.core.strategy.CallState;
import dev.reprise.core.strategy.StrategyDriver;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Judges results and failures: which results are not accepted, what follows a failure, and what the
 * last one tells of those before it.
 *
 * @param name the name of the retry, for the log
 * @param abortCondition which failures are never retried; null for none beyond the strategy's
 * @param resultRules which results are not accepted
 */
record Judge(
    String name,
    @Nullable Predicate<? super Throwable> abortCondition,
    List<ResultRule<?>> resultRules) {
  /** The most failures attached by all nested operations, each of which attaches eleven at most. */
  private static final int MAX_ATTACHED = 100;

  /** Returns why the result is not accepted, or null when it is. */
  @Nullable Throwable failureOf(@Nullable Object result) {
    if (result == RetryEngine.NO_RESULT || resultRules.isEmpty()) {
      return null;
    }
    for (ResultRule<?> rule : resultRules) {
      try {
        RetryInfo info = rule.judge(result);
        if (info != null) {
          return RejectedResultException.of(info, result);
        }
      } catch (Throwable brokenRule) {
        return brokenRule;
      }
    }
    return null;
  }

  /** Returns whether a condition of the program forbids the retry, whatever the strategy says. */
  boolean isAborted(Throwable failure) {
    return abortCondition != null && abortCondition.test(failure);
  }

  /**
   * Decides on the failure of a first attempt that was not begun, without a deadline.
   *
   * @param latest the latest answer, or null
   * @return a state that may be {@linkplain CallState#own shared}
   */
  CallState decideFirst(
      StrategyDriver strategy,
      Operation operation,
      Throwable failure,
      long attemptMark,
      @Nullable CallState latest) {
    if (failure instanceof Error
        || NestedRetry.gaveUp(failure, attemptMark)
        || !strategy.decidesFirst()
        || abortCondition != null) {
      CallState call = strategy.begin(operation);
      decide(strategy, call, failure, Long.MAX_VALUE, attemptMark);
      return call;
    }
    try {
      return strategy.decideFirst(operation, failure, latest);
    } catch (Throwable brokenRule) {
      attach(failure, brokenRule);
      CallState call = strategy.begin(operation);
      call.stop(StopReason.NOT_RETRYABLE);
      return call;
    }
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

    // The deadline cut the attempt off; no other reason counts any more.
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
      // The exception of a rule must be seen, but must not hide the failure before it.
      attach(failure, brokenRule);
      return call.stop(StopReason.NOT_RETRYABLE);
    }
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
        RetryStoppedException.note(reason, attempts, explanation(strategy, call, reason)));
  }

  private @Nullable Supplier<String> explanation(
      StrategyDriver strategy, CallState call, StopReason reason) {
    try {
      return switch (reason) {
        case BUDGET, HINT_TOO_LONG, DEADLINE -> strategy.explanation(call);
        default -> null;
      };
    } catch (Throwable e) {
      RetryLog.warn(name, "the end of an operation could not be explained", e);
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
    return failure.getSuppressed().length >= MAX_ATTACHED;
  }
}
