package dev.reprise.bench.retry.peer;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;

/** The scheduler for libraries that want one from their users, set up to remove cancelled tasks. */
final class Schedulers {
  private Schedulers() {}

  static ScheduledExecutorService open() {
    ScheduledThreadPoolExecutor scheduler =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "bench-scheduler");
              thread.setDaemon(true);
              return thread;
            });
    scheduler.setRemoveOnCancelPolicy(true);
    return scheduler;
  }
}
