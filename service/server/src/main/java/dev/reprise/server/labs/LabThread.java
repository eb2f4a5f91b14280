package dev.reprise.server.labs;

import dev.reprise.server.http.ApiError;
import dev.reprise.server.http.ApiException;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A thread of the lowest priority on which one computation runs at a time, so that the lab never
 * takes more than one processor from deliveries. One more may wait; a third is refused. There is no
 * thread while there is nothing to compute. Thread-safe.
 */
public final class LabThread {
  private static final long IDLE_SECONDS = 30;

  private final ThreadPoolExecutor executor;

  // Some systems heed the priority and others do not; the bound on the number holds on all.
  @SuppressWarnings("ThreadPriorityCheck")
  public LabThread(String name) {
    executor =
        new ThreadPoolExecutor(
            1,
            1,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(1),
            work -> {
              Thread thread = new Thread(work, name);
              thread.setDaemon(true);
              thread.setPriority(Thread.MIN_PRIORITY);
              return thread;
            });
    executor.allowCoreThreadTimeOut(true);
  }

  /** A computation that ends by itself, or when its thread is interrupted. */
  public interface Work {
    /** Runs to its end, or ends early when interrupted. */
    void run();
  }

  /** A computation that was taken. */
  final class Job {
    private final Runnable work;
    private boolean cancelled;
    private boolean late;
    private boolean over;
    private @Nullable Thread runner;

    private Job(Work work, Duration limit) {
      this.work = () -> perform(work, limit);
    }

    private void perform(Work computation, Duration limit) {
      synchronized (this) {
        if (cancelled) {
          return;
        }
        runner = Thread.currentThread();
      }
      CompletableFuture.delayedExecutor(limit.toMillis(), TimeUnit.MILLISECONDS, Runnable::run)
          .execute(this::expire);
      try {
        computation.run();
      } finally {
        synchronized (this) {
          over = true;
          // An interrupt that came too late is not meant for the next one.
          var unused = Thread.interrupted();
        }
      }
    }

    private synchronized void expire() {
      if (runner != null && !over) {
        late = true;
        runner.interrupt();
      }
    }

    /** Ends it, if it is not over; one that has not begun never does. */
    synchronized void cancel() {
      cancelled = true;
      if (runner != null && !over) {
        runner.interrupt();
      }
      executor.remove(work);
    }

    /** Returns whether it was ended because it took too long. */
    synchronized boolean isLate() {
      return late;
    }
  }

  /**
   * Takes a computation.
   *
   * @param limit how long it may take; it is interrupted then
   * @throws ApiException 409 when one runs and another waits already
   */
  public Job take(Work work, Duration limit) {
    Job job = new Job(work, limit);
    try {
      executor.execute(job.work);
      return job;
    } catch (RejectedExecutionException e) {
      throw new ApiException(
          ApiError.of(
              409, "conflict", "one run goes on and another waits: try again when one has ended"));
    }
  }
}
