package dev.reprise.cluster.intake;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has what is sent wait a little for company where processor time is short: a request to a broker,
 * and the answer by which a shard then reads what it brought, cost much more than a message in
 * them. It goes on in the order in which it came. Safe for use by many threads.
 */
final class GatheredSends implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(GatheredSends.class);

  /** The longest that a send waits. */
  static final long MAX_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /** So many wait for no more: publishers that all wait for an answer would send nothing else. */
  static final int ENOUGH = 16;

  private final NodeLoad load;
  private final ScheduledExecutorService timer;

  /** Guarded by this. */
  private List<Runnable> waiting = new ArrayList<>();

  /** Whether the timer is set. Guarded by this. */
  private boolean timed;

  /** Whether a thread sends what waits: it also takes what comes meanwhile. Guarded by this. */
  private boolean sending;

  private enum Next {
    /** Another thread sends it, now or later. */
    WAIT,
    /** The caller sends it, and nothing else. */
    SEND,
    /** The caller sends all that waits. */
    SEND_ALL
  }

  GatheredSends(NodeLoad load) {
    this(
        load,
        Executors.newSingleThreadScheduledExecutor(
            work -> {
              Thread thread = new Thread(work, "reprise-intake-gather");
              thread.setDaemon(true);
              return thread;
            }));
  }

  /**
   * Waits by a timer.
   *
   * @param timer is shut down by {@link #close}
   */
  GatheredSends(NodeLoad load, ScheduledExecutorService timer) {
    this.load = load;
    this.timer = timer;
  }

  /**
   * Sends now, or a little later, perhaps on another thread.
   *
   * @param send does not throw
   */
  void send(Runnable send) {
    // Soon the longest: it saves much, and takes a message less time than fewer turns do.
    double pressure = Math.min(1, 2 * load.pressure(System.nanoTime()));
    switch (next(send, (long) (pressure * MAX_WAIT_NANOS))) {
      case WAIT -> {}
      case SEND -> send.run();
      case SEND_ALL -> sendAll();
    }
  }

  private synchronized Next next(Runnable send, long waitNanos) {
    if (waitNanos == 0 && waiting.isEmpty() && !sending) {
      return Next.SEND;
    }
    waiting.add(send);
    if (sending) {
      return Next.WAIT;
    }
    if (waiting.size() < ENOUGH && (timed || setTimer(waitNanos))) {
      return Next.WAIT;
    }
    sending = true;
    return Next.SEND_ALL;
  }

  /** Has what waits sent later; false if nothing can wait any more. */
  private boolean setTimer(long waitNanos) {
    try {
      var unused = timer.schedule(this::timeIsUp, waitNanos, TimeUnit.NANOSECONDS);
      timed = true;
      return true;
    } catch (RejectedExecutionException e) {
      // It is closed.
      return false;
    }
  }

  private void timeIsUp() {
    synchronized (this) {
      timed = false;
      if (sending) {
        return;
      }
      sending = true;
    }
    sendAll();
  }

  private void sendAll() {
    for (List<Runnable> next = taken(); !next.isEmpty(); next = taken()) {
      for (Runnable each : next) {
        try {
          each.run();
        } catch (RuntimeException | Error e) {
          // What waits behind it was accepted from others.
          LOG.error("a message could not be handed to the brokers' client", e);
        }
      }
    }
  }

  private synchronized List<Runnable> taken() {
    List<Runnable> now = waiting;
    waiting = new ArrayList<>();
    sending = !now.isEmpty();
    return now;
  }

  /** Sends what waits; nothing waits any more. */
  @Override
  public void close() {
    timer.shutdown();
    timeIsUp();
  }
}
