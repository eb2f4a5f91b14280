package dev.reprise.server.serve;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;

/**
 * Asks the system for the threads that a start takes, before anything else is started. RocksDB ends
 * the whole process, without a word of the limit, when it gets none for itself, and event loops
 * only log it.
 */
final class ThreadRoom {
  /**
   * The threads of a start on one processor beside those of the JVM; a service under load takes
   * more.
   */
  static final int LEAST = 32;

  private ThreadRoom() {}

  /**
   * Returns when so many threads have run at once; they have ended then.
   *
   * @throws OutOfMemoryError if the system allows fewer
   */
  static void check(int threads, ThreadFactory factory) {
    CountDownLatch checked = new CountDownLatch(1);
    List<Thread> started = new ArrayList<>(threads);
    try {
      for (int i = 0; i < threads; i++) {
        Thread thread = factory.newThread(() -> awaitQuietly(checked));
        thread.setDaemon(true);
        thread.start();
        started.add(thread);
      }
    } finally {
      checked.countDown();
      joinAll(started);
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void joinAll(List<Thread> threads) {
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
