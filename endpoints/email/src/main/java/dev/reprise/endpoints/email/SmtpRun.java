package dev.reprise.endpoints.email;

import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.carrier.CarrierAttempt;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One attempt from the call of send to its one outcome. Thread-safe. */
final class SmtpRun {
  private static final Logger LOG = LoggerFactory.getLogger(SmtpRun.class);

  private final CarrierAttempt attempt;
  private final Consumer<AttemptOutcome> done;
  private final Opening opening;
  private final long startNanos = System.nanoTime();
  private final AtomicBoolean claimed = new AtomicBoolean();

  private volatile boolean begun;
  private volatile Runnable atEnd = () -> {};

  SmtpRun(CarrierAttempt attempt, Consumer<AttemptOutcome> done) {
    this.attempt = attempt;
    this.done = done;
    opening = new Opening(attempt.timeout());
  }

  CarrierAttempt attempt() {
    return attempt;
  }

  Opening opening() {
    return opening;
  }

  /** Notes that a thread has taken it up. */
  void begin() {
    begun = true;
  }

  boolean hasBegun() {
    return begun;
  }

  /** Notes which connection it uses; that is broken when its time is over. */
  void use(SmtpConnection used) {
    opening.use(used);
  }

  /** Returns how far it got. */
  SmtpStep step() {
    return opening.step();
  }

  /** Returns the network address of the relay; empty if there was none yet. */
  String address() {
    return opening.address();
  }

  /**
   * Returns true to the first that asks, who then gives the outcome; the others are late with
   * theirs.
   */
  boolean claim() {
    return claimed.compareAndSet(false, true);
  }

  /** Returns whether somebody has its outcome. */
  boolean isClaimed() {
    return claimed.get();
  }

  /** Returns how long it has taken so far, in nanoseconds. */
  long durationNanos() {
    return System.nanoTime() - startNanos;
  }

  /** Notes what to do when it has its outcome; does it at once if it has. */
  void whenFinished(Runnable action) {
    atEnd = action;
    if (isClaimed()) {
      action.run();
    }
  }

  /** Gives the outcome. Only after {@link #claim}. */
  void finish(AttemptOutcome outcome) {
    atEnd.run();
    try {
      done.accept(outcome);
    } catch (RuntimeException e) {
      // The thread has other attempts to make.
      LOG.error("the outcome of an attempt could not be passed on", e);
    }
  }
}
