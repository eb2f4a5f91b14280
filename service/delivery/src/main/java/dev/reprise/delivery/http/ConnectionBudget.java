package dev.reprise.delivery.http;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** The connections that the lanes of a sender may have together. Thread-safe. */
final class ConnectionBudget {
  private final AtomicInteger free;
  private final List<Connections> pools = new CopyOnWriteArrayList<>();

  /** Those that have found nothing left; its own lock. */
  private final Set<Connections> waiting = new LinkedHashSet<>();

  ConnectionBudget(int connections) {
    this.free = new AtomicInteger(connections);
  }

  void join(Connections pool) {
    pools.add(pool);
  }

  boolean take() {
    int left = free.get();
    while (left > 0 && !free.compareAndSet(left, left - 1)) {
      left = free.get();
    }
    return left > 0;
  }

  void giveBack() {
    free.incrementAndGet();
    wakeOne();
  }

  /**
   * Notes that a pool has found nothing left: it is woken when something comes back, and the others
   * are asked to close an unused connection.
   */
  void await(Connections pool) {
    synchronized (waiting) {
      waiting.add(pool);
    }
    for (Connections other : pools) {
      if (other != pool) {
        other.closeOneIdleSoon();
      }
    }
    if (free.get() > 0) {
      // It came back before the pool was known to wait.
      wakeOne();
    }
  }

  /** Says that a pool which was woken has taken what it needs. */
  void passOn() {
    if (free.get() > 0) {
      wakeOne();
    }
  }

  private void wakeOne() {
    Connections pool;
    synchronized (waiting) {
      Iterator<Connections> longest = waiting.iterator();
      if (!longest.hasNext()) {
        return;
      }
      pool = longest.next();
      longest.remove();
    }
    pool.serveSoon();
  }
}
