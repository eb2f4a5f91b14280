package dev.reprise.device.transport.http;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs tasks one after the other, in the order given, on the threads of a pool. Thread-safe. */
final class InOrder implements Executor {
  private static final Logger LOG = LoggerFactory.getLogger(InOrder.class);

  private final Executor pool;
  private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicInteger count = new AtomicInteger();

  InOrder(Executor pool) {
    this.pool = pool;
  }

  @Override
  public void execute(Runnable task) {
    waiting.add(task);
    // The caller that adds the first task requests a thread for it and for all that come meanwhile.
    if (count.getAndIncrement() == 0) {
      pool.execute(this::run);
    }
  }

  private void run() {
    do {
      Runnable task = waiting.remove();
      try {
        task.run();
      } catch (Throwable e) {
        // Otherwise the tasks behind one that ends the loop would never run.
        LOG.warn("a listener of a connection threw", e);
      }
    } while (count.decrementAndGet() > 0);
  }
}
