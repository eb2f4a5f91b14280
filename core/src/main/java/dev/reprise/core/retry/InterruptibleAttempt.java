package dev.reprise.core.retry;

import dev.reprise.core.retry.ContextCapture.Snapshot;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A blocking attempt on a thread of an executor. Cancelling it interrupts the thread, and only
 * while the attempt runs: the thread belongs to others before and after.
 */
final class InterruptibleAttempt<T extends @Nullable Object> extends CompletableFuture<T>
    implements Runnable {
  private final CheckedSupplier<T, ?> operation;
  private final RetryEngine engine;
  private final @Nullable Snapshot context;

  /** The thread that runs the operation; guarded by this. */
  private @Nullable Thread runner;

  /** True after the thread was interrupted by us; guarded by this. */
  private boolean interrupted;

  private InterruptibleAttempt(
      CheckedSupplier<T, ?> operation, RetryEngine engine, @Nullable Snapshot context) {
    this.operation = operation;
    this.engine = engine;
    this.context = context;
  }

  static <T extends @Nullable Object> InterruptibleAttempt<T> start(
      CheckedSupplier<T, ?> operation, RetryEngine engine, @Nullable Snapshot context) {
    InterruptibleAttempt<T> attempt = new InterruptibleAttempt<>(operation, engine, context);
    engine.threads.blockingExecutor().execute(attempt);
    return attempt;
  }

  @Override
  public void run() {
    if (context == null) {
      attempt();
    } else {
      engine.threads.runIn(context, this::attempt);
    }
  }

  private void attempt() {
    synchronized (this) {
      if (isDone()) {
        return;
      }
      runner = Thread.currentThread();
    }
    T result = null;
    Throwable failure = null;
    try {
      result = operation.get();
    } catch (Throwable thrown) {
      failure = thrown;
    }
    synchronized (this) {
      runner = null;
      // An interrupt that came too late for the attempt must not hit the next work of the thread.
      // An interrupt from elsewhere is left alone.
      if (interrupted) {
        Thread.interrupted();
      }
    }
    if (failure != null) {
      completeExceptionally(failure);
    } else if (!complete(result)) {
      engine.discard(result);
    }
  }

  /** Returns where the attempt is now; empty when it does not run. */
  StackTraceElement[] stackTrace() {
    synchronized (this) {
      return runner == null ? new StackTraceElement[0] : runner.getStackTrace();
    }
  }

  @Override
  public boolean cancel(boolean mayInterrupt) {
    boolean cancelled = super.cancel(mayInterrupt);
    synchronized (this) {
      if (cancelled && runner != null) {
        interrupted = true;
        runner.interrupt();
      }
    }
    return cancelled;
  }
}
