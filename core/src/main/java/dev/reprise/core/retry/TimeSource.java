package dev.reprise.core.retry;

import dev.reprise.core.timer.DaemonTimer;
import dev.reprise.core.timer.Timeout;

/**
 * The time that operations run in: what the clock says, how to wait, and how to be called later.
 * All three belong together, so that a test can replace them at once. Implementations are
 * thread-safe; times are monotonic, never wall time.
 */
public interface TimeSource {
  /** Returns a monotonic time in nanoseconds. Only differences mean something; it may wrap. */
  long nanoTime();

  /**
   * Blocks the calling thread.
   *
   * @param nanos at least 1
   * @throws InterruptedException when the thread is interrupted before or while it waits
   */
  void sleep(long nanos) throws InterruptedException;

  /**
   * Lets a task run later, on a thread that must not be blocked.
   *
   * @param delayNanos at least 0
   * @return what cancels the task
   */
  Timeout schedule(long delayNanos, Runnable task);

  /**
   * Returns the time of this JVM: {@link System#nanoTime()}, waits that are never cut short, and
   * the {@link DaemonTimer} that all share.
   */
  static TimeSource system() {
    return SystemTime.INSTANCE;
  }
}
