package dev.reprise.delivery.pause;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.retry.TimeSource;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The pauses of one loop: as long as a {@link Backoff} says, for as long as a limit allows.
 *
 * <pre>{@code
 * Pauses pauses = Pauses.every(Duration.ofMillis(50)).within(Duration.ofSeconds(10));
 * while (!isThere()) {
 *   if (!pauses.next()) {
 *     throw new TimeoutException("it has not come within 10 s");
 *   }
 * }
 * }</pre>
 *
 * <p>For loops that wait for a condition, and for threads that go on for ever. A call that is
 * repeated until it succeeds is {@link dev.reprise.core.retry.Retry}'s. Not thread-safe.
 */
public final class Pauses {
  private final Backoff backoff;
  private final TimeSource time;
  private final @Nullable Duration limit;
  private final long startNanos;
  private int count;

  private Pauses(Backoff backoff, TimeSource time, @Nullable Duration limit) {
    this.backoff = backoff;
    this.time = time;
    this.limit = limit;
    this.startNanos = time.nanoTime();
  }

  /** Returns pauses that a backoff determines: the first is as before its first retry. */
  public static Pauses of(Backoff backoff) {
    return new Pauses(backoff, TimeSource.system(), null);
  }

  /**
   * Returns pauses of nearly the same length, drawn evenly between its half and the whole, so that
   * many that look at the same thing do not look at the same moment.
   */
  public static Pauses every(Duration length) {
    return of(Backoff.fixed(length).withEqualJitter());
  }

  /** Returns the same pauses, which end when the limit is over, counted from now. */
  public Pauses within(Duration newLimit) {
    return new Pauses(backoff, time, newLimit);
  }

  /** Returns the same pauses in another time, counted from now. */
  public Pauses in(TimeSource newTime) {
    return new Pauses(backoff, newTime, limit);
  }

  /**
   * Waits before the next look. The last pause is as short as the limit wants, so that there is a
   * look when it is over.
   *
   * @return false, at once, if the limit is over
   */
  public boolean next() throws InterruptedException {
    long leftNanos = limit == null ? Long.MAX_VALUE : nanosOf(limit) - passedNanos();
    if (leftNanos <= 0) {
      return false;
    }
    count = Math.max(1, count + 1);
    long delayNanos = Math.min(backoff.delayNanos(count, ThreadLocalRandom.current()), leftNanos);
    if (delayNanos > 0) {
      time.sleep(delayNanos);
    }
    return true;
  }

  /**
   * The same, for a loop that an interrupt ends.
   *
   * @return false if the limit is over, or the thread was interrupted, which it stays
   */
  public boolean nextUnlessInterrupted() {
    try {
      return next();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Begins anew after a success: the next pause is the first one again. */
  public void reset() {
    count = 0;
  }

  /** Returns for how long this has waited and looked, in nanoseconds. */
  private long passedNanos() {
    return time.nanoTime() - startNanos;
  }

  private static long nanosOf(Duration limit) {
    return limit.compareTo(Duration.ofNanos(Long.MAX_VALUE)) > 0 ? Long.MAX_VALUE : limit.toNanos();
  }
}
