package dev.reprise.reactor;

import dev.reprise.core.retry.TimeSource;
import dev.reprise.core.timer.Timeout;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import reactor.core.Disposable;
import reactor.core.scheduler.Schedulers;

/**
 * The time and the threads of {@code Schedulers.parallel()}, asked for at each use: a test may have
 * put virtual time in its place.
 */
enum SchedulerTime implements TimeSource, Executor {
  INSTANCE;

  @Override
  public long nanoTime() {
    return Schedulers.parallel().now(TimeUnit.NANOSECONDS);
  }

  /** Never called: only blocking operations sleep. */
  @Override
  public void sleep(long nanos) {
    throw new UnsupportedOperationException("a thread of a reactive program must not sleep");
  }

  @Override
  public Timeout schedule(long delayNanos, Runnable task) {
    AtomicBoolean taken = new AtomicBoolean();
    Disposable scheduled =
        Schedulers.parallel()
            .schedule(
                () -> {
                  if (taken.compareAndSet(false, true)) {
                    task.run();
                  }
                },
                delayNanos,
                TimeUnit.NANOSECONDS);
    return () -> {
      boolean cancelled = taken.compareAndSet(false, true);
      scheduled.dispose();
      return cancelled;
    };
  }

  @Override
  public void execute(Runnable task) {
    Schedulers.parallel().schedule(task);
  }
}
