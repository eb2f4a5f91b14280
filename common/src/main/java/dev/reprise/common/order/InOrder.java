package dev.reprise.common.order;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Runs tasks one after the other, in the order given, so what only they touch needs no lock. They
 * run on the threads of a pool; with {@code Runnable::run} for the pool, on the thread that adds
 * the first, which then runs those as well that are added meanwhile. A task that adds another one
 * goes on: the other runs after it. Thread-safe.
 */
public final class InOrder implements Executor {
  private final Executor pool;
  private final Consumer<Throwable> thrown;
  private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicInteger count = new AtomicInteger();

  /**
   * An empty queue.
   *
   * @param pool runs all tasks that have gathered, in one go
   * @param thrown takes what a task has thrown, which does not hold up the next one; must not throw
   */
  public InOrder(Executor pool, Consumer<Throwable> thrown) {
    this.pool = pool;
    this.thrown = thrown;
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
        thrown.accept(e);
      }
    } while (count.decrementAndGet() > 0);
  }
}
