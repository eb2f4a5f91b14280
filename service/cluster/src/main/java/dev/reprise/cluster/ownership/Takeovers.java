package dev.reprise.cluster.ownership;

import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Runs the take-overs of a node on a few threads. One that cannot go on just now (a log with
 * something in it that is not certain to be a turn, a lease that has not ended, a catalog that has
 * not come) has no thread meanwhile: however many of these there are, others are taken over.
 */
final class Takeovers {
  private static final int THREADS = 8;

  private final ScheduledThreadPoolExecutor threads =
      new ScheduledThreadPoolExecutor(
          THREADS,
          work -> {
            Thread thread = new Thread(work, "reprise-takeover");
            thread.setDaemon(true);
            return thread;
          },
          // What comes when the node has closed was given back.
          new ThreadPoolExecutor.DiscardPolicy());

  /** Begins to take a shard over; does not block. */
  void begin(OwnedShard shard, ShardTakeover how) {
    goOnAfter(0, shard, how);
  }

  private void goOnAfter(long nanos, OwnedShard shard, ShardTakeover how) {
    var unused =
        threads.schedule(
            () -> {
              long pauseNanos = how.run(shard);
              if (pauseNanos != ShardTakeover.ENDED) {
                goOnAfter(pauseNanos, shard, how);
              }
            },
            nanos,
            TimeUnit.NANOSECONDS);
  }

  /** Begins none any more, and interrupts those that are under way. Does not block. */
  void close() {
    threads.shutdownNow();
  }
}
