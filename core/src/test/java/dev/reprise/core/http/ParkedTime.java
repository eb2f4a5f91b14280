package dev.reprise.core.http;

import dev.reprise.core.retry.TimeSource;
import dev.reprise.core.timer.Timeout;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Time that stands still, in which each wait ends when the test says so. Thread-safe. */
final class ParkedTime implements TimeSource {
  private final BlockingQueue<Wait> waits = new LinkedBlockingQueue<>();

  /**
   * A wait that somebody began.
   *
   * @param isCancelled complete when the wait is over: with true when it was cancelled
   */
  record Wait(Duration delay, Runnable task, CompletableFuture<Boolean> isCancelled) {
    /** Ends the wait, unless it was cancelled. */
    void end() {
      if (isCancelled.complete(false)) {
        task.run();
      }
    }
  }

  @Override
  public long nanoTime() {
    return 0;
  }

  @Override
  public void sleep(long nanos) {
    throw new AssertionError("an asynchronous operation must not block a thread");
  }

  @Override
  public Timeout schedule(long delayNanos, Runnable task) {
    CompletableFuture<Boolean> isCancelled = new CompletableFuture<>();
    waits.add(new Wait(Duration.ofNanos(delayNanos), task, isCancelled));
    return () -> isCancelled.complete(true);
  }

  /** Returns the next wait, as soon as somebody begins it. */
  Wait next() throws InterruptedException {
    Wait wait = waits.poll(300, TimeUnit.SECONDS);
    if (wait == null) {
      throw new AssertionError("nobody waits");
    }
    return wait;
  }

  /** Returns how many waits began that the test has not looked at. */
  int size() {
    return waits.size();
  }
}
