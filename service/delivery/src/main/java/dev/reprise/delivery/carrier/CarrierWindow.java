package dev.reprise.delivery.carrier;

import dev.reprise.core.timer.DaemonTimer;
import dev.reprise.core.timer.Timeout;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.AttemptOutcome.Block;
import java.time.Duration;
import java.util.Collections;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The attempts under way through one carrier: which are let in, until when they have time, and
 * which are left when the carrier is closed. What {@link Carrier#send} promises of every carrier is
 * kept here, and by {@link AttemptUnderWay}. Thread-safe.
 *
 * @param <A> the carrier's attempts; each is equal to itself alone
 */
public final class CarrierWindow<A extends AttemptUnderWay> {
  /** The reason and the wait of what is given back by a carrier that is closed. */
  public static final Block CLOSED = new Block(Duration.ofSeconds(1), "the carrier is closed");

  private static final Duration UNTIL_ONE_IS_FREE = Duration.ofMillis(100);

  private final CarrierContext context;
  private final @Nullable Consumer<A> expired;
  private final Set<A> underWay = ConcurrentHashMap.newKeySet();
  private final AtomicInteger count = new AtomicInteger();
  private volatile boolean closed;

  /** The window of a carrier whose attempts come to an end in time by other means. */
  public CarrierWindow(CarrierContext context) {
    this.context = context;
    this.expired = null;
  }

  /**
   * The window of a carrier.
   *
   * @param expired is notified of an attempt whose time is over, which has no outcome yet; on the
   *     thread of all timeouts, so it must not block
   */
  public CarrierWindow(CarrierContext context, Consumer<A> expired) {
    this.context = context;
    this.expired = expired;
  }

  /**
   * Asks whether an attempt may be made now. One that may is under way from here on, and has until
   * its time is over.
   *
   * @param atLast what else may be in the way, such as {@link CarrierFault#refusal}; asked at last,
   *     because an attempt that passes there has to find out whether the fault lasts
   * @return null if it may, and another thread may have given its outcome already; otherwise its
   *     outcome, which the caller reports
   */
  public @Nullable AttemptOutcome refusal(A attempt, Supplier<@Nullable AttemptOutcome> atLast) {
    int number = count.incrementAndGet();
    // Before it is asked whether the carrier is closed: closing it ends all that are here.
    underWay.add(attempt);
    AttemptOutcome refusal = refusal(number, atLast);
    if (refusal == null) {
      begin(attempt);
    } else if (attempt.claimOutcome()) {
      leave(attempt);
      return refusal;
    }
    return null;
  }

  private @Nullable AttemptOutcome refusal(int number, Supplier<@Nullable AttemptOutcome> atLast) {
    if (closed) {
      return AttemptOutcome.givenBack(CLOSED);
    }
    int most = context.maxInFlight();
    return number > most
        ? AttemptOutcome.givenBack(
            most + " attempts are under way, the most there may be", UNTIL_ONE_IS_FREE)
        : atLast.get();
  }

  private void begin(A attempt) {
    Consumer<A> whenOver = expired;
    if (whenOver != null) {
      Timeout timeout =
          DaemonTimer.shared()
              .schedule(
                  attempt.attempt().timeout().toNanos(),
                  () -> {
                    if (!attempt.hasOutcome()) {
                      whenOver.accept(attempt);
                    }
                  });
      attempt.endsBy(timeout);
    }
  }

  /** Lets another attempt in. */
  void leave(AttemptUnderWay attempt) {
    if (underWay.remove(attempt) && count.decrementAndGet() == 0 && closed) {
      synchronized (this) {
        notifyAll();
      }
    }
  }

  /** Returns how many attempts are under way. */
  public int count() {
    return count.get();
  }

  /** Returns the attempts under way, as they come and go. */
  public Set<A> underWay() {
    return Collections.unmodifiableSet(underWay);
  }

  /** Returns whether attempts are given back because the carrier is closed. */
  public boolean isClosed() {
    return closed;
  }

  /**
   * Lets no more attempts in. The carrier ends those that are {@link #underWay}.
   *
   * @return whether it was open
   */
  public synchronized boolean close() {
    boolean wasOpen = !closed;
    closed = true;
    return wasOpen;
  }

  /**
   * Waits, once it is closed, for the outcomes of all attempts under way.
   *
   * @return false if the limit is over, and there are still some
   */
  public synchronized boolean awaitEmpty(Duration limit) throws InterruptedException {
    long startNanos = System.nanoTime();
    while (count.get() > 0) {
      long leftNanos = limit.toNanos() - (System.nanoTime() - startNanos);
      if (leftNanos <= 0) {
        return false;
      }
      TimeUnit.NANOSECONDS.timedWait(this, leftNanos);
    }
    return true;
  }
}
