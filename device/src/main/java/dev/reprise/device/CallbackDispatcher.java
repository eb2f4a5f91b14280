package dev.reprise.device;

import dev.reprise.core.retry.TimeSource;
import dev.reprise.core.timer.Timeout;
import dev.reprise.device.message.MessageOutcome;
import dev.reprise.device.message.NotDeliveredException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Dispatches callbacks to the application, outside the loop. Listeners and the command handler are
 * called one after the other. Stages are completed beside that, so that a listener may wait for
 * one.
 */
final class CallbackDispatcher implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(CallbackDispatcher.class);

  /**
   * The time for which the thread that completes stages may be held up before another one goes on.
   */
  private static final long RELIEF_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final Executor executor;
  private final TimeSource time;
  private final @Nullable StatusListener statusListener;
  private final @Nullable OutcomeListener outcomeListener;
  private final ConcurrentLinkedQueue<Runnable> told = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean scheduled = new AtomicBoolean();

  /** The stages that this turn of the loop completes; used in the loop only. */
  private final List<Runnable> ofThisTurn = new ArrayList<>(0);

  private final Queue<Runnable> completions;

  /** Made once, as there may be no memory for it when it is needed. */
  private final Runnable completer = this::completeAll;

  /** Whether a thread is already scheduled to complete stages. */
  private final AtomicBoolean completing = new AtomicBoolean();

  CallbackDispatcher(
      Executor executor,
      TimeSource time,
      @Nullable StatusListener statusListener,
      @Nullable OutcomeListener outcomeListener) {
    this(executor, time, statusListener, outcomeListener, new ConcurrentLinkedQueue<>());
  }

  /** Creates a dispatcher with the queue of stages to be completed, which must be thread-safe. */
  CallbackDispatcher(
      Executor executor,
      TimeSource time,
      @Nullable StatusListener statusListener,
      @Nullable OutcomeListener outcomeListener,
      Queue<Runnable> completions) {
    this.executor = executor;
    this.time = time;
    this.completions = completions;
    this.statusListener = statusListener;
    this.outcomeListener = outcomeListener;
  }

  void status(ConnectionStatus status, ConnectionStatus previous) {
    StatusListener listener = statusListener;
    if (listener != null) {
      tell(() -> listener.onStatus(status, previous));
    }
  }

  /** Tells how a message ended: its stage, if there is one, and the listener. */
  void outcome(@Nullable CompletableFuture<MessageOutcome> stage, MessageOutcome outcome) {
    if (stage != null) {
      complete(stage, outcome);
    }
    OutcomeListener listener = outcomeListener;
    if (listener != null) {
      tell(() -> listener.onOutcome(outcome));
    }
  }

  /** Completes the stage of a message, without telling the listener. */
  void complete(CompletableFuture<MessageOutcome> stage, MessageOutcome outcome) {
    if (outcome.isAcknowledged()) {
      ofThisTurn.add(() -> stage.complete(outcome));
    } else {
      fail(stage, new NotDeliveredException(outcome));
    }
  }

  /** Completes the stage of something that was done, after this turn of the loop. */
  void complete(CompletableFuture<@Nullable Void> stage) {
    ofThisTurn.add(() -> stage.complete(null));
  }

  /** Fails a stage after this turn of the loop. */
  void fail(CompletableFuture<?> stage, Throwable failure) {
    ofThisTurn.add(() -> stage.completeExceptionally(failure));
  }

  /** Completes the stages of this turn. */
  void endTurn() {
    if (ofThisTurn.isEmpty()) {
      return;
    }
    completions.addAll(ofThisTurn);
    ofThisTurn.clear();
    sendCompleter();
  }

  private void sendCompleter() {
    if (completing.compareAndSet(false, true)) {
      submit(completer);
    }
  }

  private void completeAll() {
    Timeout relief = scheduleRelief();
    Runnable next;
    while ((next = completions.poll()) != null) {
      run(next);
    }
    if (relief != null) {
      relief.cancel();
    }
    completing.set(false);
    if (!completions.isEmpty()) {
      sendCompleter();
    }
  }

  /**
   * Schedules the completion of the other stages by another thread, in case a callback of one stage
   * waits for another stage. Returns null if no timer is left; stages are completed all the same.
   */
  private @Nullable Timeout scheduleRelief() {
    try {
      return time.schedule(RELIEF_NANOS, this::relieve);
    } catch (Throwable e) {
      LOG.warn("no timer: a stage of a device client that waits for another one may wait long", e);
      return null;
    }
  }

  /** The thread that completes stages is held up by one; it is counted on no more. */
  private void relieve() {
    completing.set(false);
    // Only after that: a stage that arrives in between then schedules a thread itself.
    if (!completions.isEmpty()) {
      sendCompleter();
    }
  }

  /** Runs user code after all earlier callbacks. */
  void tell(Runnable userCode) {
    told.add(userCode);
    schedule();
  }

  private void schedule() {
    if (scheduled.compareAndSet(false, true)) {
      submit(this);
    }
  }

  /** Finds a thread for user code, even if the application's executor refuses work. */
  private void submit(Runnable task) {
    try {
      executor.execute(task);
    } catch (Throwable e) {
      ThrownLog.log(
          LOG, Level.WARN, "the executor of callbacks refused; another one takes its place", e);
      try {
        DeviceThreads.forBlocking().execute(task);
      } catch (Throwable noThread) {
        ThrownLog.log(LOG, Level.ERROR, "a device client found no thread for callbacks", noThread);
        task.run();
      }
    }
  }

  @Override
  public void run() {
    Runnable next;
    while ((next = told.poll()) != null) {
      run(next);
    }
    scheduled.set(false);
    if (!told.isEmpty()) {
      schedule();
    }
  }

  private static void run(Runnable userCode) {
    try {
      userCode.run();
    } catch (Throwable e) {
      ThrownLog.log(LOG, Level.WARN, "a listener or handler of a device client threw", e);
    }
  }
}
