package dev.reprise.core.retry;

import dev.reprise.core.StopReason;
import dev.reprise.core.retry.ContextCapture.Snapshot;
import dev.reprise.core.strategy.CallState;
import dev.reprise.core.strategy.StrategyDriver;
import dev.reprise.core.timer.Timeout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One asynchronous operation: the future that its caller holds, and the state between attempts.
 *
 * <p>At any time the call waits for at most one thing, and {@link #pending} says for which: an
 * attempt under way, a timer, the executor, or nothing while a thread is at work on it. It goes
 * from one to the next by compare-and-set. From outside it is changed only once, to the {@link
 * StopReason} for which the call was ended. The thread that ends a waiting call also cleans up and
 * completes it; if another thread is at work on the call, that one finds the reason at its next
 * step and does both. So exactly one thread at a time works on the call, and everything that is not
 * volatile here belongs to it.
 *
 * <p>Attempts that fail at once are repeated in a loop and not by recursion, so that a million of
 * them need no deeper stack than one.
 *
 * <p>A program may hold a hundred thousand of these while they wait, and their futures for long
 * after: what few calls need is in {@link ParticularCall}, and what a completed one does not need
 * is let go of.
 */
class AsyncCall<T extends @Nullable Object> extends CompletableFuture<T> implements Runnable {
  /** Over, and not from outside. */
  private static final Object OVER = "over";

  private static final Object DISPATCHED = "dispatched";

  /** The timer was faster than the thread that set it and is still at work. */
  private static final Object EXPIRED = "expired";

  private static final VarHandle PENDING;

  static {
    try {
      PENDING = MethodHandles.lookup().findVarHandle(AsyncCall.class, "pending", Object.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Starts attempts that block, on the executor for them. */
  private record BlockingStarter<T extends @Nullable Object>(
      CheckedSupplier<T, ?> operation, RetryEngine engine, @Nullable Snapshot context)
      implements CheckedSupplier<CompletionStage<T>, RuntimeException> {
    @Override
    public CompletionStage<T> get() {
      return InterruptibleAttempt.start(operation, engine, context);
    }
  }

  /** The latest failure of a call that has failed more than once, and those before it. */
  private record Failures(Throwable last, EarlierFailures earlier) {}

  final RetryEngine engine;
  final CallState call;

  /** Null once the call is over. */
  private @Nullable CheckedSupplier<? extends CompletionStage<T>, ?> operation;

  /** The one failure, or {@link Failures}; null before the first one and once the call is over. */
  private @Nullable Object failures;

  /**
   * An {@link AsyncAttempt}, a {@link Timeout}, {@link #EXPIRED}, {@link #DISPATCHED} while the
   * executor has not begun, a {@link SurfacePause}, {@link #OVER}, a {@link StopReason}, or null
   * while a thread is at work.
   */
  private volatile @Nullable Object pending;

  AsyncCall(
      RetryEngine engine,
      StrategyDriver strategy,
      CheckedSupplier<? extends CompletionStage<T>, ?> operation) {
    this.engine = engine;
    this.operation = operation;
    this.call = strategy.begin(engine.operation);
  }

  private static <T extends @Nullable Object> AsyncCall<T> of(
      RetryEngine engine,
      StrategyDriver strategy,
      CheckedSupplier<? extends CompletionStage<T>, ?> operation,
      @Nullable Snapshot context) {
    return ParticularCall.isNeededFor(engine, strategy, context)
        ? new ParticularCall<>(engine, strategy, operation, context)
        : new AsyncCall<>(engine, strategy, operation);
  }

  /** Starts the operation. */
  static <T extends @Nullable Object> CompletableFuture<T> start(
      RetryEngine engine,
      StrategyDriver strategy,
      CheckedSupplier<? extends CompletionStage<T>, ?> operation) {
    AsyncCall<T> started = of(engine, strategy, operation, engine.threads.captureContext());
    started.begin();
    return started;
  }

  /** Starts an operation that blocks, on the executor. */
  static <T extends @Nullable Object> CompletableFuture<T> startBlocking(
      RetryEngine engine, StrategyDriver strategy, CheckedSupplier<T, ?> operation) {
    return blocking(engine, strategy, operation);
  }

  /** The same for a caller that waits, and may be interrupted. */
  static <T extends @Nullable Object> AsyncCall<T> blocking(
      RetryEngine engine, StrategyDriver strategy, CheckedSupplier<T, ?> operation) {
    Snapshot context = engine.threads.captureContext();
    AsyncCall<T> started =
        of(engine, strategy, new BlockingStarter<>(operation, engine, context), context);
    started.begin();
    return started;
  }

  /**
   * Starts an operation whose first attempt needs nothing but to be recorded, with a strategy that
   * does not pace: if it succeeds at once, the call has no state.
   */
  static <T extends @Nullable Object> CompletableFuture<T> startPlain(
      RetryEngine engine,
      StrategyDriver strategy,
      CheckedSupplier<? extends CompletionStage<T>, ?> operation) {
    long mark = NestedRetry.mark();
    CompletionStage<T> stage = stageOf(operation);
    if (isDone(stage)) {
      CompletableFuture<T> future = (CompletableFuture<T>) stage;
      if (!future.isCompletedExceptionally()) {
        engine.recordFirstSuccess(strategy);
        return future;
      }
    }
    AsyncCall<T> started = of(engine, strategy, operation, engine.threads.captureContext());
    if (started.isRepeatedAfter(stage, mark)) {
      started.attempt();
    }
    return started;
  }

  /** Starts an operation; what it throws is the failure of its stage. */
  private static <T extends @Nullable Object> CompletionStage<T> stageOf(
      CheckedSupplier<? extends CompletionStage<T>, ?> operation) {
    try {
      return operation.get();
    } catch (Throwable failure) {
      RetryEngine.restoreInterrupt(failure);
      return CompletableFuture.failedFuture(failure);
    }
  }

  /**
   * Returns true for a future that is done, and can be asked. Stages of a class of their own may
   * refuse every question, as those of {@link CompletableFuture#completedStage} do.
   */
  private static boolean isDone(@Nullable CompletionStage<?> stage) {
    return stage != null
        && stage.getClass() == CompletableFuture.class
        && ((CompletableFuture<?>) stage).isDone();
  }

  /** Returns the strategy that decides on this call, to its end. */
  StrategyDriver strategy() {
    return engine.firstStrategy();
  }

  /** Returns when the call started; 0 if nothing asks for it. */
  long startNanos() {
    return 0;
  }

  private void begin() {
    long delayNanos = call.delayNanos();
    if (delayNanos > 0) {
      // The first attempt is made in any case, so it is better made in time.
      park(Math.min(delayNanos, Math.max(0, remainingNanos())));
    } else {
      attempt();
    }
  }

  /** Makes attempts until one is under way, or the call waits, or it is over. */
  private void attempt() {
    boolean isPlain = engine.isPlain() && !(operation instanceof BlockingStarter);
    boolean repeatedAtOnce;
    do {
      repeatedAtOnce = isPlain ? makePlainAttempt() : makeAttempt();
    } while (repeatedAtOnce);
  }

  /** Makes one attempt; returns true when the next one is to be made at once. */
  private boolean makeAttempt() {
    AsyncAttempt<T> attempt = new AsyncAttempt<>(this, NestedRetry.mark());
    if (!moveTo(attempt)) {
      leave();
      return false;
    }
    start(attempt);
    return attempt.isOverAlready() && isRepeatedAtOnce(attempt);
  }

  /** The same if nothing but its stage ends an attempt, and nobody is told of it. */
  private boolean makePlainAttempt() {
    CheckedSupplier<? extends CompletionStage<T>, ?> starter = operation;
    if (starter == null || !moveTo(null)) {
      leave();
      return false;
    }
    long mark = NestedRetry.mark();
    return isRepeatedAfter(stageOf(starter), mark);
  }

  /**
   * Goes on with a plain attempt, which needs no object if its stage has ended already; returns
   * true when the next one is to be made at once.
   */
  private boolean isRepeatedAfter(CompletionStage<T> stage, long mark) {
    if (isDone(stage)) {
      CompletableFuture<T> future = (CompletableFuture<T>) stage;
      if (!future.isCompletedExceptionally()) {
        succeed(null, future.join());
        return false;
      }
      // Not join: of the failure it makes another exception, stack trace and all.
      Throwable failure = future.<Throwable>handle((nothing, thrown) -> thrown).join();
      return isRepeatedAtOnce(unwrapped(failure), mark, null);
    }
    AsyncAttempt<T> attempt = new AsyncAttempt<>(this, mark);
    if (moveTo(attempt)) {
      attempt.await(stage, Long.MAX_VALUE);
      return attempt.isOverAlready() && isRepeatedAtOnce(attempt);
    }
    // Ended from outside while the attempt was started.
    StopReason reason = endReason();
    boolean unused = attempt.cancel(reason);
    attempt.await(stage, Long.MAX_VALUE);
    complete(reason, call.attempt());
    return false;
  }

  private void start(AsyncAttempt<T> attempt) {
    CheckedSupplier<? extends CompletionStage<T>, ?> starter = operation;
    if (starter == null) {
      // Ended from outside since, and the attempt with it.
      return;
    }
    long limitNanos = engine.attemptLimitNanos(startNanos());
    if (engine.hedging != null) {
      HedgedRound<T> round = new HedgedRound<>(this, engine.hedging, starter);
      attempt.await(round, limitNanos);
      round.startFirst();
      return;
    }
    attempt.await(stageOf(starter), limitNanos);
  }

  /** Goes on after an attempt that ended later, on whatever thread it ended. */
  void resumeAfter(AsyncAttempt<T> attempt) {
    inContext(
        () -> {
          if (!isRepeatedAtOnce(attempt)) {
            return;
          }
          if (moveTo(DISPATCHED)) {
            dispatch();
          } else {
            leave();
          }
        });
  }

  /** Decides what follows an attempt; returns true when the next one is to be made at once. */
  private boolean isRepeatedAtOnce(AsyncAttempt<T> attempt) {
    Throwable failure = attempt.failure();
    if (failure == null) {
      failure = attempt.judgement();
    }
    if (failure == null) {
      succeed(attempt, attempt.result());
      return false;
    }
    return isRepeatedAtOnce(failure, attempt.mark, attempt);
  }

  /**
   * Decides what follows a failure; returns true when the next attempt is to be made at once.
   *
   * @param attempt the one that failed, or null for a plain one without a result
   */
  private boolean isRepeatedAtOnce(
      Throwable failure, long mark, @Nullable AsyncAttempt<T> attempt) {
    note(failure);
    int made = call.attempt();
    if (!engine.judge.decide(strategy(), call, failure, remainingNanos(), mark)) {
      AsyncAttempt<T> last = attempt == null ? AsyncAttempt.failed(this, mark, failure) : attempt;
      engine.events.stop(last.number(), failure, last.startNanos, call.stopReason());
      surface(last, failure, made);
      return false;
    }
    if (attempt != null) {
      engine.events.retry(attempt.number(), failure, attempt.startNanos, call.delayNanos());
      engine.discard(attempt.result());
    }
    if (call.delayNanos() == 0) {
      return true;
    }
    // Explains a refusal, and this is none; there may be very many waiting.
    call.forgetFailure();
    park(call.delayNanos());
    return false;
  }

  /**
   * Ends the call with a result.
   *
   * @param attempt the one that brought it, or null for a plain one
   */
  private void succeed(@Nullable AsyncAttempt<T> attempt, @Nullable T result) {
    // A thread that was interrupted while it waits is glad of a result that came all the same.
    if (!moveTo(OVER) && pending == StopReason.CANCELLED) {
      engine.discard(result);
      if (attempt != null) {
        engine.events.stop(
            attempt.number(),
            new CancellationException(),
            attempt.startNanos,
            StopReason.CANCELLED);
      }
    } else {
      engine.recordSuccess(strategy(), call);
      if (attempt != null) {
        engine.events.success(attempt.number(), attempt.startNanos);
      }
      completeOrDiscard(result);
    }
    release();
  }

  /** Hands the outcome of the last attempt to the caller, after a pause for long polls. */
  private void surface(AsyncAttempt<T> last, Throwable failure, int attempts) {
    if (call.delayNanos() > 0) {
      SurfacePause pause = new SurfacePause(last, failure, attempts);
      if (moveTo(pause)) {
        pause.begin();
        return;
      }
    }
    boolean unused = moveTo(OVER);
    deliver(last, failure, attempts);
  }

  private void deliver(AsyncAttempt<T> last, Throwable failure, int attempts) {
    if (last.isRejected(failure)) {
      completeOrDiscard(last.result());
    } else {
      engine.discard(last.result());
      engine.judge.finish(strategy(), call, attempts, failure, earlier(), last.mark);
      super.completeExceptionally(failure);
    }
    release();
  }

  private void completeOrDiscard(@Nullable T result) {
    if (!super.complete(result)) {
      engine.discard(result);
    }
  }

  /** Lets the timer wake the call. */
  private void park(long delayNanos) {
    if (!moveTo(null)) {
      leave();
      return;
    }
    Timeout timeout;
    try {
      timeout = engine.time.schedule(delayNanos, this);
    } catch (Throwable broken) {
      cutOff(StopReason.CLOSED, broken);
      return;
    }
    if (PENDING.compareAndSet(this, null, timeout)) {
      return;
    }
    if (PENDING.compareAndSet(this, EXPIRED, DISPATCHED)) {
      dispatch();
    } else {
      timeout.cancel();
      leave();
    }
  }

  /** Called by the timer when the wait is over, and by the executor to make the next attempt. */
  @Override
  public void run() {
    Object was = pending;
    while (was == null || was instanceof Timeout) {
      // Whoever has set the timer and does not know it yet finds that it has expired.
      boolean isKnown = was != null;
      if (PENDING.compareAndSet(this, was, isKnown ? DISPATCHED : EXPIRED)) {
        if (isKnown) {
          dispatch();
        }
        return;
      }
      was = pending;
    }
    if (was == DISPATCHED && PENDING.compareAndSet(this, was, null)) {
      inContext(this::attemptInTime);
    }
  }

  /** Lets the executor make the next attempt. */
  private void dispatch() {
    try {
      // An attempt that blocks finds its way to the executor by itself.
      Executor next =
          operation instanceof BlockingStarter
              ? engine.threads.stepExecutor()
              : engine.threads.asyncExecutor();
      next.execute(this);
    } catch (Throwable rejected) {
      // The executor is shut down, or there is no memory for another thread.
      if (PENDING.compareAndSet(this, DISPATCHED, null)) {
        engine.threads.offTimerWithoutExecutor(
            () -> inContext(() -> cutOff(StopReason.CLOSED, rejected)));
      }
    }
  }

  private void attemptInTime() {
    // The caller completed the future himself.
    if (isDone()) {
      cutOff(StopReason.CANCELLED, null);
      return;
    }

    // A machine that was busy or asleep may wake us late, and a strategy that paces may have become
    // slower meanwhile. First attempts are made all the same.
    long remainingNanos = remainingNanos();
    long furtherNanos = strategy().furtherDelayNanos(call);
    if (failures != null && (remainingNanos < 0 || furtherNanos > remainingNanos)) {
      cutOff(StopReason.DEADLINE, null);
      return;
    }

    if (furtherNanos > 0 && remainingNanos > 0) {
      park(Math.min(furtherNanos, remainingNanos));
      return;
    }

    attempt();
  }

  /** Ends a call whose next attempt was announced and is not made. */
  private void cutOff(StopReason reason, @Nullable Throwable because) {
    if (!moveTo(OVER)) {
      leave();
      return;
    }
    Throwable failure = lastFailure();
    if (failure == null) {
      failure = because == null ? new CancellationException() : because;
    } else if (because != null) {
      Judge.attach(failure, because);
    }
    engine.abandon(strategy(), call, reason, failure);
    engine.judge.finish(
        strategy(), call, call.attempt() - 1, failure, earlier(), NestedRetry.NO_NOTE_IS_YOUNGER);
    super.completeExceptionally(failure);
    release();
  }

  @Override
  public boolean cancel(boolean mayInterrupt) {
    end(StopReason.CANCELLED);
    return isCancelled();
  }

  /** Called when the caller cancels or its timeout ends: the operation is over. */
  @Override
  public boolean complete(T value) {
    boolean completed = super.complete(value);
    if (completed) {
      end(StopReason.CANCELLED);
    }
    return completed;
  }

  /** See {@link #complete}. */
  @Override
  public boolean completeExceptionally(Throwable failure) {
    boolean completed = super.completeExceptionally(failure);
    if (completed) {
      end(StopReason.CANCELLED);
    }
    return completed;
  }

  /**
   * Ends the call because the thread that waits for it was interrupted. It completes now, or as
   * soon as the thread that is at work on it looks.
   */
  void interrupt() {
    end(StopReason.INTERRUPTED);
  }

  /** Ends the call from outside. */
  private void end(StopReason reason) {
    Object was;
    do {
      was = pending;
      if (isOver(was)) {
        completeEnded(reason);
        return;
      }
    } while (!PENDING.compareAndSet(this, was, reason));
    Object ended = was;
    if (ended == null
        || ended == EXPIRED
        || (ended instanceof AsyncAttempt<?> attempt && attempt.hasEnded())) {
      completeEnded(reason);
    } else {
      inContext(() -> stop(ended, reason));
    }
  }

  /** Cancels a call that a thread is working on; after an interrupt that thread completes it. */
  private void completeEnded(StopReason reason) {
    if (reason == StopReason.CANCELLED) {
      super.completeExceptionally(new CancelledException(place()));
    }
  }

  /** Cancels the attempt or wait of the call, and completes the call. */
  private void stop(Object was, StopReason reason) {
    if (was instanceof AsyncAttempt<?> attempt) {
      if (attempt.cancel(reason)) {
        complete(reason, call.attempt());
      } else {
        completeEnded(reason);
      }
    } else if (was instanceof AsyncCall<?>.SurfacePause pause) {
      completeEnded(reason);
      pause.end();
    } else {
      if (was instanceof Timeout timeout) {
        timeout.cancel();
      }
      leave();
    }
  }

  /** Gives up the next attempt, which was announced, for the call was ended from outside. */
  private void leave() {
    StopReason reason = endReason();
    Throwable last = lastFailure();
    Throwable failure = last == null ? new CancellationException() : last;
    engine.abandon(strategy(), call, reason, failure);
    complete(reason, call.attempt() - 1);
  }

  /** Returns why the call was ended from outside. */
  private StopReason endReason() {
    return pending instanceof StopReason ended ? ended : StopReason.CANCELLED;
  }

  /** Completes a call that was ended from outside; its waiters see the reason. */
  private void complete(StopReason reason, int attempts) {
    Throwable failure = lastFailure();
    if (failure == null || reason == StopReason.CANCELLED) {
      super.completeExceptionally(new CancelledException(place()));
    } else {
      call.stop(reason);
      engine.judge.finish(
          strategy(), call, attempts, failure, earlier(), NestedRetry.NO_NOTE_IS_YOUNGER);
      super.completeExceptionally(failure);
    }
    release();
  }

  /** Says where in the program the operation stands. */
  String place() {
    Object written = operation;
    return OperationPlace.of(
        engine, written instanceof BlockingStarter<?> starter ? starter.operation() : written);
  }

  /** Lets go of what only attempts need; the future may be kept for long. */
  void release() {
    operation = null;
    failures = null;
  }

  /** Keeps a failure as the last one. */
  private void note(Throwable failure) {
    Throwable before = lastFailure();
    failures =
        before == null ? failure : new Failures(failure, EarlierFailures.with(earlier(), before));
  }

  private @Nullable Throwable lastFailure() {
    return failures instanceof Failures several ? several.last : (Throwable) failures;
  }

  private @Nullable EarlierFailures earlier() {
    return failures instanceof Failures several ? several.earlier : null;
  }

  /** Replaces the pending state; returns false when the call was ended from outside. */
  private boolean moveTo(@Nullable Object next) {
    Object was = pending;
    return !isOver(was) && (was == next || PENDING.compareAndSet(this, was, next));
  }

  private static boolean isOver(@Nullable Object pending) {
    return pending == OVER || pending instanceof StopReason;
  }

  private long remainingNanos() {
    return engine.remainingNanos(startNanos());
  }

  /** Does a step of the call. Whatever it throws, the future completes. */
  void inContext(Runnable step) {
    try {
      step.run();
    } catch (Throwable broken) {
      collapse(broken);
    }
  }

  /** Ends a call in which something threw that must not throw, such as a budget of the user's. */
  private void collapse(Throwable broken) {
    Object was = PENDING.getAndSet(this, OVER);
    if (was instanceof Timeout timeout) {
      timeout.cancel();
    }
    Throwable failure = lastFailure();
    if (failure != null && failure != broken) {
      broken.addSuppressed(failure);
    }
    super.completeExceptionally(broken);
    release();
  }

  /** Returns the failure of an attempt without the wrapping that stages put around it. */
  static Throwable unwrapped(Throwable failure) {
    Throwable inner = failure;
    for (int i = 0; i < 16 && inner instanceof CompletionException; i++) {
      Throwable cause = inner.getCause();
      if (cause == null) {
        break;
      }
      inner = cause;
    }
    return inner;
  }

  /** The wait before a failure is surfaced, as long polls must. */
  private final class SurfacePause implements Runnable {
    private final AsyncAttempt<T> last;
    private final Throwable failure;
    private final int attempts;
    private volatile @Nullable Timeout timeout;

    SurfacePause(AsyncAttempt<T> last, Throwable failure, int attempts) {
      this.last = last;
      this.failure = failure;
      this.attempts = attempts;
    }

    void begin() {
      try {
        timeout = engine.time.schedule(call.delayNanos(), this);
      } catch (Throwable noPause) {
        surfaceNow();
        return;
      }
      if (pending != this) {
        Objects.requireNonNull(timeout).cancel();
      }
    }

    /** Called by the timer. */
    @Override
    public void run() {
      engine.threads.offTimer(() -> inContext(this::surfaceNow));
    }

    private void surfaceNow() {
      if (PENDING.compareAndSet(AsyncCall.this, this, OVER)) {
        deliver(last, failure, attempts);
      }
    }

    /** The call was ended from outside. */
    void end() {
      Timeout scheduled = timeout;
      if (scheduled != null) {
        scheduled.cancel();
      }
      deliver(last, failure, attempts);
    }
  }
}
