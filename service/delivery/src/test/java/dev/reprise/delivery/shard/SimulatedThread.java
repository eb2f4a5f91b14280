package dev.reprise.delivery.shard;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A thread of a simulated process: does one thing after the other, and may stand still at any place
 * while all others go on. When its process is killed, it gets no further than where it stands.
 */
final class SimulatedThread {
  /** The process was killed. */
  static final class Killed extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private final VirtualTime time;
  private final Deque<Runnable> waiting = new ArrayDeque<>();
  private boolean busy;
  private boolean killed;

  SimulatedThread(VirtualTime time) {
    this.time = time;
  }

  boolean isBusy() {
    return busy;
  }

  boolean isKilled() {
    return killed;
  }

  void kill() {
    killed = true;
    waiting.clear();
  }

  /** Does this next. */
  void run(Runnable action) {
    if (killed) {
      return;
    }
    waiting.add(action);
    if (busy) {
      return;
    }
    busy = true;
    try {
      Runnable next;
      while ((next = waiting.poll()) != null) {
        next.run();
      }
    } catch (Killed e) {
      waiting.clear();
    } finally {
      busy = false;
    }
  }

  /** Stands still for so long, or longer. */
  void standStill(long nanos) {
    if (nanos > 0) {
      time.pass(nanos);
    }
    if (killed) {
      throw new Killed();
    }
  }
}
