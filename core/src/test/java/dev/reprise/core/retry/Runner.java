package dev.reprise.core.retry;

import dev.reprise.testkit.VirtualTime;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Every way to run an operation. Whatever the way, the same must come out. */
enum Runner {
  BLOCKING {
    @Override
    Object run(Retry retry, VirtualTime time, CheckedSupplier<?, ?> operation) throws Exception {
      return retry.<Object, Exception>call(operation::get);
    }
  },

  BLOCKING_ON_THE_EXECUTOR {
    @Override
    Object run(Retry retry, VirtualTime time, CheckedSupplier<?, ?> operation) throws Exception {
      return outcome(retry.<Object>submit(operation::get), time);
    }
  },

  ASYNC_DONE_AT_ONCE {
    @Override
    Object run(Retry retry, VirtualTime time, CheckedSupplier<?, ?> operation) throws Exception {
      return outcome(retry.callAsync(() -> doneStage(operation)), time);
    }
  },

  ASYNC_DONE_LATER {
    @Override
    Object run(Retry retry, VirtualTime time, CheckedSupplier<?, ?> operation) throws Exception {
      CheckedSupplier<CompletionStage<Object>, Exception> later =
          () -> {
            CompletableFuture<Object> stage = new CompletableFuture<>();
            time.executor().execute(() -> complete(stage, operation));
            return stage;
          };
      return outcome(retry.callAsync(later), time);
    }
  },

  ASYNC_THROWS {
    @Override
    Object run(Retry retry, VirtualTime time, CheckedSupplier<?, ?> operation) throws Exception {
      return outcome(
          retry.callAsync(() -> CompletableFuture.<Object>completedFuture(operation.get())), time);
    }
  };

  /** Runs the operation and returns its result, or throws its failure. */
  abstract @Nullable Object run(Retry retry, VirtualTime time, CheckedSupplier<?, ?> operation)
      throws Exception;

  private static CompletionStage<Object> doneStage(CheckedSupplier<?, ?> operation) {
    CompletableFuture<Object> stage = new CompletableFuture<>();
    complete(stage, operation);
    return stage;
  }

  private static void complete(CompletableFuture<Object> stage, CheckedSupplier<?, ?> operation) {
    try {
      stage.complete(operation.get());
    } catch (Throwable failure) {
      stage.completeExceptionally(failure);
    }
  }

  private static @Nullable Object outcome(CompletableFuture<Object> future, VirtualTime time)
      throws Exception {
    time.runUntilIdle(1_000_000);
    if (!future.isDone()) {
      throw new AssertionError("nothing is left to run, and the future is not done");
    }
    try {
      return future.get();
    } catch (java.util.concurrent.ExecutionException e) {
      if (e.getCause() instanceof Exception cause) {
        throw cause;
      }
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw new AssertionError(e);
    }
  }
}
