package dev.reprise.core.retry;

import dev.reprise.core.timer.Timeout;

/** Fires the first timeout on another thread before whoever scheduled it knows of it. */
final class HastyTime implements TimeSource {
  boolean secondScheduled;
  boolean secondCancelled;
  private boolean firstFired;

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
    if (firstFired) {
      secondScheduled = true;
      return () -> secondCancelled = true;
    }
    firstFired = true;
    Thread timer = new Thread(task);
    timer.start();
    try {
      timer.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return () -> false;
  }
}
