package dev.reprise.server.publish;

import dev.reprise.server.http.ApiError;
import dev.reprise.server.http.ApiException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;

/**
 * Requests of many lines, in the order in which they came: a line of a few bytes takes a thousand
 * times that while it is being published, so only as many are in work as fit into a budget. The
 * others wait, with nothing of them published. Safe for many threads.
 */
public final class BulkQueue {
  /** The bytes that a line takes while it is in work, beside its own. */
  static final int LINE_BYTES = 2048;

  private final long mostBytes;
  private final int mostWaiting;
  private final Executor workers;
  private final Deque<Waiting> waiting = new ArrayDeque<>();
  private long inWork;

  private record Waiting(long bytes, Runnable work) {}

  /**
   * An empty queue.
   *
   * @param mostBytes how much may be in work; a request that is larger goes alone
   * @param mostWaiting how many requests may wait
   * @param workers where a request begins that has waited
   */
  public BulkQueue(long mostBytes, int mostWaiting, Executor workers) {
    this.mostBytes = mostBytes;
    this.mostWaiting = mostWaiting;
    this.workers = workers;
  }

  /** Returns the bytes that a request takes while it is in work. */
  public static long bytes(int lines, int bodyBytes) {
    return (long) lines * LINE_BYTES + bodyBytes;
  }

  /**
   * Does the work, now or when its turn comes. The work calls {@link #done} at its end.
   *
   * @throws ApiException 503 if too many are waiting
   */
  public void run(long bytes, Runnable work) {
    synchronized (this) {
      if (!waiting.isEmpty() || !fits(bytes)) {
        if (waiting.size() >= mostWaiting) {
          throw new ApiException(
              ApiError.of(
                      503,
                      "overloaded",
                      "too many requests of many lines are waiting: nothing of this one was"
                          + " published, try again soon")
                  .withHeader("Retry-After", "1"));
        }
        waiting.add(new Waiting(bytes, work));
        return;
      }
      inWork += bytes;
    }
    work.run();
  }

  private boolean fits(long bytes) {
    return inWork == 0 || inWork + bytes <= mostBytes;
  }

  /** Work that took so much has ended. */
  public void done(long bytes) {
    Deque<Waiting> next = new ArrayDeque<>();
    synchronized (this) {
      inWork -= bytes;
      Waiting first = waiting.peek();
      while (first != null && fits(first.bytes())) {
        waiting.remove();
        inWork += first.bytes();
        next.add(first);
        first = waiting.peek();
      }
    }
    next.forEach(one -> workers.execute(one.work()));
  }

  /** Returns how many requests wait. */
  public synchronized int waiting() {
    return waiting.size();
  }

  /** Returns how many bytes are in work. */
  public synchronized long inWork() {
    return inWork;
  }
}
