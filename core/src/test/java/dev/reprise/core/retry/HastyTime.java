package dev.reprise.core.retry;

import dev.reprise.core.timer.Timeout;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Fires the first timeout on another thread before whoever scheduled it knows of it, and lets the
 * second schedule return only after the first one has.
 */
final class HastyTime implements TimeSource {
  final CompletableFuture<Thread> firing = new CompletableFuture<>();
  final CompletableFuture<Void> secondMayReturn = new CompletableFuture<>();
  volatile boolean secondCancelled;
  private final CompletableFuture<Void> secondCalled = new CompletableFuture<>();
  private final AtomicInteger scheduled = new AtomicInteger();

  @Override
  public long nanoTime() {
    return 0;
  }

  @Override
  public void sleep(long nanos) {
    throw new AssertionError("nobody sleeps");
  }

  @Override
  public Timeout schedule(long delayNanos, Runnable task) {
    if (scheduled.incrementAndGet() == 1) {
      Thread thread = new Thread(task);
      firing.complete(thread);
      thread.start();
      secondCalled.join();
      return () -> false;
    }
    secondCalled.complete(null);
    secondMayReturn.join();
    return () -> secondCancelled = true;
  }
}
