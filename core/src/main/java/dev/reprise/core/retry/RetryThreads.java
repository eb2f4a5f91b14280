package dev.reprise.core.retry;

import dev.reprise.core.retry.ContextCapture.Snapshot;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The threads of a {@link Retry}, and the context that is carried to them.
 *
 * @param name the name of the retry, for the log
 * @param time where waits are scheduled
 * @param executor the program's own executor; null for the default ones
 * @param context what is carried from the calling thread; null for nothing
 */
record RetryThreads(
    String name, TimeSource time, @Nullable Executor executor, @Nullable ContextCapture context) {
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
   * executor may be full of the callers that wait for these decisions. With a time source other
   * than the system's, all of it runs on the given executor, under the control of the code that
   * moves the time.
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

  /** Returns the context of the caller's thread, or null when none is wanted. */
  @Nullable Snapshot captureContext() {
    return context == null ? null : capture(name, context);
  }

  /** Returns the context of the calling thread, or null when it cannot be captured. */
  static @Nullable Snapshot capture(String name, ContextCapture context) {
    try {
      return context.capture();
    } catch (Throwable e) {
      RetryLog.warn(name, "a context could not be captured", e);
      return null;
    }
  }

  /** Runs the work in the context or, when that throws, without it: the work is done once. */
  void runIn(@Nullable Snapshot snapshot, Runnable work) {
    runIn(name, snapshot, work);
  }

  /** Does the same for a retry whose settings are not at hand. */
  static void runIn(String name, @Nullable Snapshot snapshot, Runnable work) {
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
      RetryLog.warn(name, "a context could not be entered or left", e);
    }
    if (!begun[0]) {
      work.run();
    }
  }

  /** Cancels a stage that can be cancelled; a result that it still brings is discarded. */
  void cancel(CompletionStage<?> stage) {
    try {
      stage.toCompletableFuture().cancel(true);
    } catch (Throwable e) {
      // The contract of stages allows that there is nothing to cancel.
      if (!(e instanceof UnsupportedOperationException)) {
        RetryLog.warn(name, "an attempt could not be cancelled", e);
      }
    }
  }
}
