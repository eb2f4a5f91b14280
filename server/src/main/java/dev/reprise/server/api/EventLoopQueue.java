package dev.reprise.server.api;

import io.vertx.core.Context;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Hands work to an event loop from other threads. One wake-up serves all that has gathered: a turn
 * of a shard answers hundreds of publishes at once.
 */
final class EventLoopQueue {
  private final Context context;
  private final Queue<Runnable> queue = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean scheduled = new AtomicBoolean();

  EventLoopQueue(Context context) {
    this.context = context;
  }

  void run(Runnable work) {
    queue.add(work);
    if (scheduled.compareAndSet(false, true)) {
      context.runOnContext(ignored -> drain());
    }
  }

  private void drain() {
    // First the flag: what is added from here on either is seen below or schedules anew.
    scheduled.set(false);
    Runnable work = queue.poll();
    while (work != null) {
      work.run();
      work = queue.poll();
    }
  }
}
