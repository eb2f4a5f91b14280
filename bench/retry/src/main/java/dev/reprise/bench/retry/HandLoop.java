package dev.reprise.bench.retry;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The floor: retry loops that somebody wrote by hand, for one purpose. */
final class HandLoop {
  private HandLoop() {}

  static Calls calls() {
    return operation -> () -> call(operation);
  }

  private static Object call(Callable<Object> operation) throws Exception {
    @Nullable IOException earlier = null;
    for (int attempt = 1; ; attempt++) {
      try {
        return operation.call();
      } catch (IOException failure) {
        if (earlier != null) {
          failure.addSuppressed(earlier);
        }
        if (attempt == BlockingLoop.MAX_ATTEMPTS) {
          throw failure;
        }
        earlier = failure;
      }
    }
  }

  @SuppressWarnings("FutureReturnValueIgnored") // The caller gets it, as an object.
  static AsyncCalls asyncCalls(AsyncWork work) {
    return () -> {
      CompletableFuture<Object> result = new CompletableFuture<>();
      attempt(work, 1, result);
      return result;
    };
  }

  @SuppressWarnings("FutureReturnValueIgnored") // The result tells how it ended.
  private static void attempt(AsyncWork work, int attempt, CompletableFuture<Object> result) {
    work.stage()
        .whenComplete(
            (value, failure) -> {
              if (failure == null) {
                result.complete(value);
              } else if (failure instanceof IOException && attempt < BlockingLoop.MAX_ATTEMPTS) {
                attempt(work, attempt + 1, result);
              } else {
                result.completeExceptionally(failure);
              }
            });
  }
}
