package dev.reprise.core.retry;

import dev.reprise.core.timer.DaemonTimer;
import dev.reprise.core.timer.Timeout;
import java.util.concurrent.locks.LockSupport;

/** The time of this JVM. */
enum SystemTime implements TimeSource {
  INSTANCE;

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  /**
   * Waits by parking: {@link Thread#sleep(long, int)} rounds to milliseconds before JDK 21. A park
   * may end early, so the clock has the last word. It lets a virtual thread off its carrier.
   */
  @Override
  public void sleep(long nanos) throws InterruptedException {
    long startNanos = System.nanoTime();
    long remainingNanos = nanos;
    do {
      if (Thread.interrupted()) {
        throw new InterruptedException("interrupted while waiting for the next attempt");
      }
      LockSupport.parkNanos(this, remainingNanos);
      remainingNanos = nanos - (System.nanoTime() - startNanos);
    } while (remainingNanos > 0);
    if (Thread.interrupted()) {
      throw new InterruptedException("interrupted while waiting for the next attempt");
    }
  }

  @Override
  public Timeout schedule(long delayNanos, Runnable task) {
    return DaemonTimer.shared().schedule(delayNanos, task);
  }
}
