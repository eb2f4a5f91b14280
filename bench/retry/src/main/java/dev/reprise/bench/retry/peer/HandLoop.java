package dev.reprise.bench.retry.peer;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The floor: retry loops that somebody wrote by hand, for one purpose. */
final class HandLoop {
  private HandLoop() {}

  static Calls calls(PeerSetting setting) {
    int maxAttempts = setting.maxAttempts;
    return operation -> () -> call(operation, maxAttempts);
  }

  private static Object call(Callable<Object> operation, int maxAttempts) throws Exception {
    @Nullable IOException earlier = null;
    for (int attempt = 1; ; attempt++) {
      try {
        return operation.call();
      } catch (IOException failure) {
        if (earlier != null) {
          failure.addSuppressed(earlier);
        }
        if (attempt == maxAttempts) {
          throw failure;
        }
        earlier = failure;
      }
    }
  }

  static Calls forgetfulCalls(PeerSetting setting) {
    int maxAttempts = setting.maxAttempts;
    return operation -> () -> forgetfulCall(operation, maxAttempts);
  }

  private static Object forgetfulCall(Callable<Object> operation, int maxAttempts)
      throws Exception {
    for (int attempt = 1; ; attempt++) {
      try {
        return operation.call();
      } catch (IOException failure) {
        if (attempt == maxAttempts) {
          throw failure;
        }
      }
    }
  }

  static Calls bareCallsAndClock() {
    return operation ->
        () -> {
          long startNanos = System.nanoTime();
          Object result = operation.call();
          return startNanos == 0 ? operation : result;
        };
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
              } else if (failure instanceof IOException
                  && attempt < PeerSetting.DEFAULTS.maxAttempts) {
                attempt(work, attempt + 1, result);
              } else {
                result.completeExceptionally(failure);
              }
            });
  }
}
