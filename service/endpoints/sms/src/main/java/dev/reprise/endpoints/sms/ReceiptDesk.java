package dev.reprise.endpoints.sms;

import dev.reprise.delivery.carrier.CarrierContext;
import dev.reprise.delivery.carrier.Receipt;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes receipts on, never before the outcome of the attempt that names their id. A receipt may
 * overtake the answer to submit_sm, and that of a first part comes while the others are sent; so
 * one whose id was not named yet waits until all attempts have ended that were under way when it
 * came. Its state belongs to the carrier's events; threads of its own pass the receipts on.
 */
final class ReceiptDesk implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ReceiptDesk.class);

  /** Ids of attempts that have ended, whose receipts need not wait. */
  private static final int MAX_NAMED = 10_000;

  /** Receipts that wait for attempts to end; the oldest goes on when there are more. */
  private static final int MAX_HELD = 10_000;

  /** Receipts that wait for a thread; with more, the SMS centre is asked to come again. */
  private static final int MAX_QUEUED = 1_000;

  /** As many as are passed to the engine at the same time, which writes them in one batch. */
  private static final int THREADS = 4;

  private final CarrierContext context;
  private final ThreadPoolExecutor threads;

  private final Map<String, Boolean> named =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
          return size() > MAX_NAMED;
        }
      };
  private final TreeSet<Long> underWay = new TreeSet<>();
  private final Deque<Held> held = new ArrayDeque<>();
  private long nextNumber;

  /** A receipt that waits for all attempts with a lower number. */
  private record Held(Receipt receipt, long before) {}

  /** Tells the SMS centre whether a receipt was taken. */
  interface Answer {
    void taken(boolean isTaken);
  }

  ReceiptDesk(CarrierContext context, String threadName) {
    this.context = context;
    AtomicInteger threadNumber = new AtomicInteger();
    threads =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            work -> {
              Thread thread =
                  new Thread(work, threadName + "-receipts-" + threadNumber.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
  }

  /** Notes that an attempt begins; returns its number. */
  long began() {
    underWay.add(nextNumber);
    return nextNumber++;
  }

  /** Notes that an attempt's outcome was given, and the ids that it has named. */
  void ended(long number, List<String> ids) {
    underWay.remove(number);
    ids.forEach(id -> named.put(id, true));
    while (!held.isEmpty() && isDue(held.getFirst())) {
      passOn(held.removeFirst().receipt, taken -> {});
    }
  }

  private boolean isDue(Held receipt) {
    return underWay.isEmpty() || underWay.first() >= receipt.before;
  }

  /**
   * Takes a receipt, and passes it on when it is time.
   *
   * @param alternative another form of its id, which goes before if it is known
   * @param answer called at once or later. One that must wait is answered at once: if the process
   *     ends before it is passed on, the outcome of its attempt is lost as well
   */
  void take(Receipt receipt, String alternative, Answer answer) {
    boolean isOther = !named.containsKey(receipt.id()) && named.containsKey(alternative);
    String id = isOther ? alternative : receipt.id();
    if (!named.containsKey(id) && !underWay.isEmpty()) {
      held.addLast(new Held(receipt, nextNumber));
      answer.taken(true);
      if (held.size() > MAX_HELD) {
        passOn(held.removeFirst().receipt, taken -> {});
      }
    } else if (threads.getQueue().size() >= MAX_QUEUED) {
      LOG.debug("{}: no room for the receipt of {}", context.name(), id);
      answer.taken(false);
    } else {
      passOn(new Receipt(id, receipt.delivered(), receipt.status(), receipt.summary()), answer);
    }
  }

  private void passOn(Receipt receipt, Answer answer) {
    try {
      threads.execute(() -> answer.taken(isReceived(receipt)));
    } catch (RejectedExecutionException e) {
      // The carrier is closed.
      answer.taken(false);
    }
  }

  private boolean isReceived(Receipt receipt) {
    try {
      context.received(receipt);
      return true;
    } catch (RuntimeException e) {
      LOG.warn("{}: the receipt of {} was not noted", context.name(), receipt.id(), e);
      return false;
    }
  }

  /** Stops the threads; receipts that wait are not passed on. */
  @Override
  public void close() {
    threads.shutdownNow();
    try {
      threads.awaitTermination(500, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
