package dev.reprise.device;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The threads that all clients of the JVM share. They end when they are idle. */
final class DeviceThreads {
  private static final int IDLE_SECONDS = 10;

  private static final Executor LOOPS = loops();

  private static final Executor CALLBACKS =
      new ThreadPoolExecutor(
          0,
          Integer.MAX_VALUE,
          IDLE_SECONDS,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          threads("reprise-device-callback-"));

  private DeviceThreads() {}

  /** Returns what runs the loops of clients: as many threads as processors, which never block. */
  static Executor forLoops() {
    return LOOPS;
  }

  /** Returns what runs user code, and the loops of clients that write to a disk: both may block. */
  static Executor forBlocking() {
    return CALLBACKS;
  }

  private static Executor loops() {
    int threads = Math.max(2, Runtime.getRuntime().availableProcessors());
    ThreadPoolExecutor executor =
        new ThreadPoolExecutor(
            threads,
            threads,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            threads("reprise-device-"));
    executor.allowCoreThreadTimeOut(true);
    return executor;
  }

  private static ThreadFactory threads(String prefix) {
    AtomicInteger number = new AtomicInteger();
    return task -> {
      // Keeps nothing of the thread that happens to start it: it serves all clients.
      Thread thread = new Thread(null, task, prefix + number.incrementAndGet(), 0, false);
      thread.setDaemon(true);
      thread.setContextClassLoader(ClassLoader.getSystemClassLoader());
      return thread;
    };
  }
}
