package dev.reprise.core.retry;

import dev.reprise.core.StopReason;
import dev.reprise.core.timer.Timeout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of an {@link AsyncCall}. It ends exactly once: with the result of its stage, at its
 * time limit, or by a cancellation. Later results are discarded.
 *
 * <p>The thread that starts an attempt continues the call if the attempt has already ended ({@link
 * #isOverAlready}); otherwise the thread that ends the attempt continues it.
 */
final class AsyncAttempt<T extends @Nullable Object>
    implements BiFunction<T, @Nullable Throwable, @Nullable Void>, Runnable {
  /** Being started: the starter has not looked yet. */
  private static final int STARTING = 0;

  /** Under way: the thread that ends it continues the call. */
  private static final int WAITING = 1;

  /** Being ended while it was starting. */
  private static final int ENDING = 2;

  /** Being ended, and the starter has left: the thread that ends it continues the call. */
  private static final int LEFT = 3;

  private static final int ENDED = 4;

  /** Ended from outside, together with its call. */
  private static final int CANCELLED = 5;

  private static final VarHandle PHASE;

  static {
    try {
      PHASE = MethodHandles.lookup().findVarHandle(AsyncAttempt.class, "phase", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final long startNanos;

  /** The value of {@link NestedRetry#mark} when the attempt started. */
  final long mark;

  private final RetryEngine engine;
  private final int number;

  /**
   * Null once the attempt was cut off, for its stage may never complete and would keep the attempt
   * reachable.
   */
  private @Nullable AsyncCall<T> owner;

  private long limitNanos;
  private @Nullable T result;
  private @Nullable Throwable failure;
  private volatile int phase = STARTING;
  private volatile @Nullable CompletionStage<T> stage;
  private volatile @Nullable Timeout timeout;

  AsyncAttempt(AsyncCall<T> owner, long mark) {
    this.owner = owner;
    this.mark = mark;
    this.engine = owner.engine;
    this.number = owner.call.attempt();
    this.startNanos = engine.events.attemptStarted();
  }

  /** Returns one that has failed, for a call that made it without this object. */
  static <T extends @Nullable Object> AsyncAttempt<T> failed(
      AsyncCall<T> owner, long mark, Throwable failure) {
    AsyncAttempt<T> failed = new AsyncAttempt<>(owner, mark);
    failed.failure = failure;
    return failed;
  }

  /** Waits for the result of the stage, but no longer than the limit. */
  void await(@Nullable CompletionStage<T> started, long limitNanos) {
    if (started == null) {
      end(null, new NullPointerException("the operation returned no stage, but null"));
      return;
    }
    this.stage = started;
    this.limitNanos = limitNanos;
    try {
      if (limitNanos != Long.MAX_VALUE) {
        timeout = engine.time.schedule(limitNanos, this);
      }
      // Cancelled before it had a stage: then the canceller could not do this.
      if (phase == CANCELLED) {
        stopWaiting();
      }
      // Not whenComplete: of each failure it makes another exception, stack trace and all.
      var unused = started.handle(this);
    } catch (Throwable broken) {
      stopWaiting();
      end(null, broken);
    }
  }

  /** Returns true when the attempt has ended and its starter has to continue the call. */
  boolean isOverAlready() {
    boolean over =
        !PHASE.compareAndSet(this, STARTING, WAITING)
            && !PHASE.compareAndSet(this, ENDING, LEFT)
            && phase == ENDED;
    if (over && failure instanceof AttemptTimeoutException) {
      // The starter stood still for that long. One that waits is cut off by the timer.
      owner = null;
      cancelStage();
    }
    return over;
  }

  /**
   * Returns true when a thread has ended the attempt, or is about to, and goes on with the call.
   */
  boolean hasEnded() {
    int now = phase;
    return now != STARTING && now != WAITING;
  }

  @Override
  public @Nullable Void apply(T value, @Nullable Throwable thrown) {
    if (thrown == null) {
      end(value, null);
    } else {
      end(null, AsyncCall.unwrapped(thrown));
    }
    return null;
  }

  /** Called by the timer when the attempt takes too long. */
  @Override
  public void run() {
    AsyncCall<T> call = owner;
    end(
        null,
        new AttemptTimeoutException(
            Duration.ofNanos(limitNanos), call == null ? "" : call.place(), hung()));
  }

  /** Returns where a blocking attempt hangs. */
  private StackTraceElement[] hung() {
    return stage instanceof InterruptibleAttempt<T> blocking
        ? blocking.stackTrace()
        : new StackTraceElement[0];
  }

  private void end(@Nullable T value, @Nullable Throwable thrown) {
    if (PHASE.compareAndSet(this, STARTING, ENDING)) {
      bring(value, thrown);
      if (PHASE.compareAndSet(this, ENDING, ENDED)) {
        return;
      }
      phase = ENDED;
    } else if (PHASE.compareAndSet(this, WAITING, ENDED)) {
      bring(value, thrown);
    } else {
      engine.discard(value);
      return;
    }
    AsyncCall<T> call = owner;
    if (call == null) {
      return;
    }
    if (thrown instanceof AttemptTimeoutException) {
      owner = null;
      cutOff(call);
    } else {
      call.resumeAfter(this);
    }
  }

  private void bring(@Nullable T value, @Nullable Throwable thrown) {
    this.result = value;
    this.failure = thrown;
    Timeout limit = timeout;
    if (limit != null) {
      limit.cancel();
    }
  }

  /** Leaves the timer's thread, which is not for user code; what it runs must be short. */
  private void cutOff(AsyncCall<T> call) {
    // The thread that could run the rest may be the one that this frees.
    if (stage instanceof InterruptibleAttempt<T> blocking) {
      blocking.cancel(true);
    }
    engine.threads.offTimer(
        () -> {
          call.inContext(this::cancelStage);
          call.resumeAfter(this);
        });
  }

  /** Ends the attempt together with its call; returns false when it has ended already. */
  boolean cancel(StopReason reason) {
    int was;
    do {
      was = phase;
      if (was != STARTING && was != WAITING) {
        return false;
      }
    } while (!PHASE.compareAndSet(this, was, CANCELLED));
    stopWaiting();
    owner = null;
    engine.events.stop(number(), new CancellationException(), startNanos, reason);
    return true;
  }

  private void stopWaiting() {
    cancelStage();
    Timeout limit = timeout;
    if (limit != null) {
      limit.cancel();
    }
  }

  private void cancelStage() {
    CompletionStage<T> started = stage;
    if (started != null) {
      engine.threads.cancel(started);
    }
  }

  /** Returns the attempt that this is, counted from 1: of several hedges, the one that decided. */
  int number() {
    return stage instanceof HedgedRound<T> round ? round.decidingAttempt() : number;
  }

  @Nullable T result() {
    return result;
  }

  @Nullable Throwable failure() {
    return failure;
  }

  /**
   * Returns true when the failure stands for a result of this attempt. Its type does not tell: a
   * {@link Retry} within the operation may have thrown one.
   */
  boolean isRejected(Throwable failure) {
    return this.failure == null && failure instanceof RejectedResultException;
  }

  /** Returns why the result is not accepted, or null when it is. */
  @Nullable Throwable judgement() {
    return stage instanceof HedgedRound<T> round
        ? round.judgement()
        : engine.judge.failureOf(result);
  }
}
