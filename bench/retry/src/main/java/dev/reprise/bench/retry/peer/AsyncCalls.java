package dev.reprise.bench.retry.peer;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/** Calls of one asynchronous operation under one policy. */
@FunctionalInterface
public interface AsyncCalls extends AutoCloseable {
  /** Starts a call, and returns what stands for it. */
  Object start();

  /** Waits until a call has ended, and returns its result. */
  default Object join(Object call) throws InterruptedException, ExecutionException {
    return future(call).get();
  }

  /** Cancels a call. */
  default void cancel(Object call) {
    future(call).cancel(true);
  }

  @Override
  default void close() {}

  private static Future<?> future(Object call) {
    return call instanceof CompletionStage<?> stage
        ? stage.toCompletableFuture()
        : (Future<?>) call;
  }
}
