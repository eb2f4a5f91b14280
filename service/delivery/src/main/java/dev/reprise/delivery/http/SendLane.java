package dev.reprise.delivery.http;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.netty.util.concurrent.ScheduledFuture;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.internal.ContextInternal;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One event loop with the exchanges that live on it. Work is handed over through a queue; the event
 * loop is woken once for everything that gathers before it comes round.
 */
final class SendLane {
  private static final Logger LOG = LoggerFactory.getLogger(SendLane.class);

  /** The interval at which unused connections are looked at, in milliseconds. */
  private static final long EXPIRY_MILLIS = 1000;

  /**
   * The least time between two looks at the deadlines of all exchanges, in nanoseconds: so much
   * later than its deadline an exchange may be notified.
   */
  private static final long MIN_LOOK_NANOS = 5_000_000;

  private final ContextInternal context;
  private final Connections connections;
  private final HttpFigures figures;
  private final LongSupplier nanoClock;
  private final long expiryTimer;
  private final Queue<Runnable> handedOver = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean woken = new AtomicBoolean();
  private final Handler<Void> drain = nothing -> drain();
  private volatile boolean closed;

  /** The next look at the deadlines; null if there is none. On the event loop only. */
  private @Nullable ScheduledFuture<?> look;

  /** The time of it, of {@link #nanoTime}. */
  private long lookNanos;

  /** The exchanges in flight, a doubly linked list; touched on the event loop only. */
  private @Nullable Exchange first;

  SendLane(
      ContextInternal context,
      HttpClientAgent client,
      Connector connector,
      ConnectionBudget budget,
      HttpFigures figures,
      HttpSenderSettings settings,
      LongSupplier nanoClock) {
    this.context = context;
    this.figures = figures;
    this.nanoClock = nanoClock;
    this.connections =
        new Connections(
            this::execute,
            client,
            (origin, route) -> connector.to(origin, route, context, this::execute),
            budget,
            settings,
            nanoClock);
    this.expiryTimer =
        context.owner().setPeriodic(EXPIRY_MILLIS, timer -> execute(connections::closeExpired));
  }

  Connections connections() {
    return connections;
  }

  /** Returns the time of the monotonic clock, in nanoseconds; on any thread. */
  long nanoTime() {
    return nanoClock.getAsLong();
  }

  HttpFigures figures() {
    return figures;
  }

  void start(Exchange exchange) {
    execute(exchange);
    if (closed) {
      // The event loop may be gone, and then nothing else reports it.
      exchange.reportAbandoned();
    }
  }

  /** Runs work on the event loop, soon. */
  void execute(Runnable work) {
    handedOver.add(work);
    if (!woken.get() && woken.compareAndSet(false, true)) {
      try {
        context.runOnContext(drain);
      } catch (RejectedExecutionException e) {
        // Vert.x was closed before the sender.
        closed = true;
      }
    }
  }

  boolean isCurrent() {
    return context.inThread();
  }

  private void drain() {
    woken.set(false);
    for (Runnable work = handedOver.poll(); work != null; work = handedOver.poll()) {
      try {
        work.run();
      } catch (RuntimeException e) {
        LOG.error("A step of an HTTP attempt failed: this is a bug", e);
      }
    }
  }

  boolean isClosed() {
    return closed;
  }

  /**
   * Ensures that an exchange in the list is notified when its deadline has passed. One timer does
   * for all: most deadlines are given up long before, and so is the work of keeping them in order.
   */
  void awaitDeadline(Exchange exchange) {
    long deadlineNanos = exchange.deadlineNanos;
    if (look == null || deadlineNanos - lookNanos < 0) {
      lookAt(deadlineNanos, nanoTime());
    }
  }

  private void lookAt(long atNanos, long nowNanos) {
    if (look != null) {
      look.cancel(false);
    }
    lookNanos = atNanos;
    look = context.nettyEventLoop().schedule(this::look, atNanos - nowNanos, NANOSECONDS);
  }

  /** Notifies the exchanges whose deadline has passed, and finds the next one. */
  private void look() {
    look = null;
    long nowNanos = nanoTime();
    long nextNanos = Long.MAX_VALUE;
    List<Exchange> due = new ArrayList<>(0);
    for (Exchange exchange = first; exchange != null; exchange = exchange.next) {
      long leftNanos = exchange.deadlineNanos - nowNanos;
      if (leftNanos <= 0) {
        due.add(exchange);
      } else {
        nextNanos = Math.min(nextNanos, leftNanos);
      }
    }
    if (nextNanos != Long.MAX_VALUE) {
      lookAt(nowNanos + Math.max(nextNanos, MIN_LOOK_NANOS), nowNanos);
    }
    for (Exchange exchange : due) {
      try {
        exchange.timedOut();
      } catch (RuntimeException e) {
        LOG.error("The end of an HTTP attempt failed: this is a bug", e);
      }
    }
  }

  void add(Exchange exchange) {
    exchange.next = first;
    if (first != null) {
      first.previous = exchange;
    }
    first = exchange;
  }

  void remove(Exchange exchange) {
    if (exchange.previous != null) {
      exchange.previous.next = exchange.next;
    } else {
      first = exchange.next;
    }
    if (exchange.next != null) {
      exchange.next.previous = exchange.previous;
    }
    exchange.previous = null;
    exchange.next = null;
  }

  void close() {
    closed = true;
    context.owner().cancelTimer(expiryTimer);
    execute(
        () -> {
          for (Exchange exchange = first; exchange != null; exchange = first) {
            exchange.abandon();
          }
        });
  }
}
