package dev.reprise.server.http;

import io.vertx.core.Context;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands work to an event loop from other threads. One wake-up serves all that has gathered: a turn
 * of a shard answers hundreds of publishes at once.
 */
public final class EventLoopQueue {
  private static final Logger LOG = LoggerFactory.getLogger(EventLoopQueue.class);

  private final Context context;
  private final Queue<Runnable> queue = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean scheduled = new AtomicBoolean();

  public EventLoopQueue(Context context) {
    this.context = context;
  }

  public void run(Runnable work) {
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
      try {
        work.run();
      } catch (RuntimeException | Error e) {
        // Only one answer failed; answers to other clients wait behind it.
        LOG.error("an answer could not be written", e);
      }
      work = queue.poll();
    }
  }
}
