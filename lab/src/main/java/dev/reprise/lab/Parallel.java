package dev.reprise.lab;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs tasks on several threads, and gives results in the order of the tasks. To be closed by the
 * thread that asks it to run, and used by no other.
 */
public final class Parallel implements AutoCloseable {
  private final ExecutorService executor;
  private final Lab.Progress progress;
  private final AtomicInteger done = new AtomicInteger();
  private int all;

  Parallel(int threads, Lab.Progress progress) {
    this.executor = Executors.newFixedThreadPool(threads, Parallel::thread);
    this.progress = progress;
  }

  /** A run cannot be interrupted, and must not keep a program alive that has given up on it. */
  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work, "reprise-lab");
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Runs all tasks and returns their results. The progress counts on from tasks that were run
   * before.
   *
   * @throws InterruptedException when the calling thread is interrupted
   * @throws RuntimeException what the first task in order threw that failed
   */
  public <T> List<T> run(List<Callable<T>> tasks) throws InterruptedException {
    all += tasks.size();
    int known = all;
    List<Future<T>> started = new ArrayList<>();
    for (Callable<T> task : tasks) {
      started.add(
          executor.submit(
              () -> {
                T result = task.call();
                progress.ran(done.incrementAndGet(), known);
                return result;
              }));
    }
    List<T> results = new ArrayList<>();
    for (Future<T> future : started) {
      results.add(resultOf(future));
    }
    return results;
  }

  private static <T> T resultOf(Future<T> future) throws InterruptedException {
    try {
      return future.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException refused) {
        throw refused;
      }
      if (e.getCause() instanceof Error broken) {
        throw broken;
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  /** Begins no further task, and interrupts those that are under way. */
  @Override
  public void close() {
    executor.shutdownNow();
  }
}
