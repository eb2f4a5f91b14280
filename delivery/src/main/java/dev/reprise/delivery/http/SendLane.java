package dev.reprise.delivery.http;

import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.internal.ContextInternal;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
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

  private final ContextInternal context;
  private final Connections connections;
  private final long expiryTimer;
  private final Queue<Runnable> handedOver = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean woken = new AtomicBoolean();
  private volatile boolean closed;

  /** The exchanges in flight, a doubly linked list; touched on the event loop only. */
  private @Nullable Exchange first;

  SendLane(
      ContextInternal context,
      HttpClientAgent client,
      ConnectionBudget budget,
      HttpSenderSettings settings) {
    this.context = context;
    this.connections = new Connections(this::execute, client, budget, settings);
    this.expiryTimer =
        context.owner().setPeriodic(EXPIRY_MILLIS, timer -> execute(connections::closeExpired));
  }

  Connections connections() {
    return connections;
  }

  void start(Exchange exchange) {
    execute(exchange);
    if (closed) {
      // The event loop may be gone, and then nobody else will say so.
      exchange.reportAbandoned();
    }
  }

  /** Runs work on the event loop, soon. */
  void execute(Runnable work) {
    handedOver.add(work);
    if (!woken.get() && woken.compareAndSet(false, true)) {
      try {
        context.runOnContext(nothing -> drain());
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

  long setTimer(long millis, Exchange exchange) {
    return context.owner().setTimer(millis, timer -> exchange.timedOut());
  }

  void cancelTimer(long timer) {
    context.owner().cancelTimer(timer);
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
