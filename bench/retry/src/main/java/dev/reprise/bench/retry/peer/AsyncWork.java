package dev.reprise.bench.retry.peer;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/** An asynchronous operation whose attempts end at once. */
@FunctionalInterface
public interface AsyncWork {
  Object RESULT = "result";
  IOException FAILURE = new ConnectionRefused();
  CompletableFuture<Object> DONE = CompletableFuture.completedFuture(RESULT);
  CompletableFuture<Object> FAILED = CompletableFuture.failedFuture(FAILURE);

  /** Makes one attempt. */
  boolean succeeds();

  /** Makes one attempt, and returns a stage that nobody needs to allocate. */
  default CompletableFuture<Object> stage() {
    return succeeds() ? DONE : FAILED;
  }

  /** Fails on this thread and succeeds on all others: first attempts fail, parked ones succeed. */
  static AsyncWork failingOnThisThread() {
    Thread caller = Thread.currentThread();
    return () -> Thread.currentThread() != caller;
  }
}
