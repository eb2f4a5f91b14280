package dev.reprise.core.retry;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** The executors of attempts if the program sets none. */
final class DefaultExecutors {
  private static final Executor ASYNC = async(new CompletableFuture<Void>().defaultExecutor());

  private DefaultExecutors() {}

  /**
   * Returns the common pool, or a small pool of our own on a machine with too few processors for
   * that.
   */
  static Executor async() {
    return ASYNC;
  }

  /**
   * Chooses for what {@link CompletableFuture} itself would use. On a machine with one or two
   * processors that may be a new thread for each task, and a hundred thousand retries that wake at
   * once would be as many threads.
   */
  static Executor async(Executor ofFutures) {
    return ofFutures instanceof ForkJoinPool ? ofFutures : Few.THREADS;
  }

  /** Returns daemon threads, as many as there are attempts under way, that end when idle. */
  static Executor blocking() {
    return Blocking.THREADS;
  }

  private static ThreadPoolExecutor pool(
      String name, int core, int most, BlockingQueue<Runnable> queue) {
    AtomicLong number = new AtomicLong();
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            core,
            most,
            10,
            TimeUnit.SECONDS,
            queue,
            work -> {
              // A thread that outlives its first user must not keep what belongs to that user: no
              // inherited thread-locals, no context class loader.
              String threadName = "reprise-" + name + "-" + number.incrementAndGet();
              Thread thread = new Thread(null, work, threadName, 0, false);
              thread.setDaemon(true);
              thread.setContextClassLoader(ClassLoader.getSystemClassLoader());
              return thread;
            });
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  /**
   * Holds the pool for small machines, made at first use. It has two threads, so that one may wait
   * for the other.
   */
  private static final class Few {
    private static final Executor THREADS = pool("async", 2, 2, new LinkedBlockingQueue<>());
  }

  /** Holds the threads that most programs never need, made at first use. */
  private static final class Blocking {
    private static final Executor THREADS =
        pool("attempt", 0, Integer.MAX_VALUE, new SynchronousQueue<>());
  }
}
