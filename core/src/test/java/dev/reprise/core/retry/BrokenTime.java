package dev.reprise.core.retry;

import dev.reprise.core.timer.Timeout;

/** A time that schedules nothing. */
record BrokenTime(RuntimeException failure) implements TimeSource {
  @Override
  public long nanoTime() {
    return 0;
  }

  @Override
  public void sleep(long nanos) {
    throw failure;
  }

  @Override
  public Timeout schedule(long delayNanos, Runnable task) {
    throw failure;
  }
}
