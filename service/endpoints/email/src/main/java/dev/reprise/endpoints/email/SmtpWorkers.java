package dev.reprise.endpoints.email;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The threads of a carrier, each with a connection of its own. The one that was busy last gets the
 * next attempt: few connections stay in use when little is sent, and a thread without work ends
 * after a while and closes its connection. Thread-safe.
 */
final class SmtpWorkers {
  private final String name;
  private final int size;
  private final Duration idle;
  private final Work work;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition ended = lock.newCondition();
  private final Deque<SmtpRun> waiting = new ArrayDeque<>();
  private final Deque<Worker> idlers = new ArrayDeque<>();
  private final Set<Worker> workers = new HashSet<>();
  private int started;
  private int living;
  private boolean closed;

  /** The work of the threads. */
  interface Work {
    /** Makes an attempt. */
    void make(SmtpRun run, ConnectionSlot slot);

    /** Closes the connection of a thread that ends. */
    void close(ConnectionSlot slot);
  }

  /**
   * No thread yet.
   *
   * @param size the most threads
   * @param idle how long a thread waits for work
   */
  SmtpWorkers(String name, int size, Duration idle, Work work) {
    this.name = name;
    this.size = size;
    this.idle = idle;
    this.work = work;
  }

  /**
   * Lets a thread make the attempt, at once or as soon as one is free.
   *
   * @return false after {@link #close}
   */
  boolean execute(SmtpRun run) {
    lock.lock();
    try {
      if (closed) {
        return false;
      }
      waiting.add(run);
      Worker idler = idlers.pollFirst();
      if (idler != null) {
        idler.wake();
      } else if (workers.size() < size) {
        Worker worker = new Worker(lock.newCondition());
        workers.add(worker);
        living++;
        worker.start(name + "-" + ++started);
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Returns how many connections are open. */
  int connections() {
    lock.lock();
    try {
      int open = 0;
      for (Worker worker : workers) {
        SmtpConnection connection = worker.slot.connection();
        open += connection == null || connection.isBroken() ? 0 : 1;
      }
      return open;
    } finally {
      lock.unlock();
    }
  }

  /** Takes no more attempts; threads end as soon as they have none. Returns those not taken up. */
  List<SmtpRun> close() {
    lock.lock();
    try {
      closed = true;
      List<SmtpRun> left = new ArrayList<>(waiting);
      waiting.clear();
      idlers.forEach(Worker::wake);
      idlers.clear();
      return left;
    } finally {
      lock.unlock();
    }
  }

  /** Waits for the end of all threads; returns whether they have ended. */
  boolean awaitEnd(Duration limit) {
    lock.lock();
    try {
      long left = limit.toNanos();
      while (living > 0 && left > 0) {
        left = ended.awaitNanos(left);
      }
      return living == 0;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } finally {
      lock.unlock();
    }
  }

  private final class Worker implements Runnable {
    private final ConnectionSlot slot = new ConnectionSlot();
    private final Condition woken;
    private boolean isWoken;

    private Worker(Condition woken) {
      this.woken = woken;
    }

    private void start(String threadName) {
      Thread thread = new Thread(this, threadName);
      thread.setDaemon(true);
      // The mail library looks for its parts through it.
      thread.setContextClassLoader(SmtpWorkers.class.getClassLoader());
      thread.start();
    }

    private void wake() {
      isWoken = true;
      woken.signal();
    }

    @Override
    public void run() {
      try {
        for (SmtpRun next = next(); next != null; next = next()) {
          work.make(next, slot);
        }
        work.close(slot);
      } finally {
        end();
      }
    }

    /** Returns the next attempt; null when the thread is to end. */
    private @Nullable SmtpRun next() {
      lock.lock();
      try {
        boolean stays = true;
        while (waiting.isEmpty() && !closed && stays) {
          // Another thread may be quicker; then this one waits again.
          stays = awaitWork();
        }
        SmtpRun next = waiting.poll();
        if (next == null) {
          // From here on it counts no more: an attempt that comes now gets another thread.
          workers.remove(this);
        }
        return next;
      } finally {
        lock.unlock();
      }
    }

    /** Returns false when there was no work for long enough. */
    private boolean awaitWork() {
      isWoken = false;
      idlers.addFirst(this);
      long left = idle.toNanos();
      try {
        while (!isWoken && left > 0) {
          left = woken.awaitNanos(left);
        }
        return isWoken;
      } catch (InterruptedException e) {
        // No code interrupts these threads; one that is interrupted ends.
        return false;
      } finally {
        idlers.remove(this);
      }
    }

    private void end() {
      lock.lock();
      try {
        workers.remove(this);
        living--;
        ended.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }
}
