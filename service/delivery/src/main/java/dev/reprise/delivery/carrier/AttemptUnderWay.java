package dev.reprise.delivery.carrier;

import dev.reprise.core.RetryInfo;
import dev.reprise.core.timer.Timeout;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.AttemptOutcome.Block;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt on its way to its one outcome: of several callers that end it, the first reports the
 * outcome, and the others do nothing. A carrier adds what it knows of its attempts. Thread-safe.
 */
public class AttemptUnderWay {
  private static final Logger LOG = LoggerFactory.getLogger(AttemptUnderWay.class);
  private static final byte[] NO_RESPONSE = {};

  private final CarrierWindow<?> window;
  private final CarrierAttempt attempt;
  private final Consumer<AttemptOutcome> done;
  private final long startNanos = System.nanoTime();
  private final AtomicBoolean claimed = new AtomicBoolean();
  private volatile @Nullable Timeout timeout;

  /**
   * An attempt that {@link CarrierWindow#refusal} is to be asked of.
   *
   * @param done is given the outcome
   */
  public AttemptUnderWay(
      CarrierWindow<?> window, CarrierAttempt attempt, Consumer<AttemptOutcome> done) {
    this.window = window;
    this.attempt = attempt;
    this.done = done;
  }

  /** Returns what is to be sent. */
  public final CarrierAttempt attempt() {
    return attempt;
  }

  /** Returns how long it has taken so far, in nanoseconds. */
  public final long elapsedNanos() {
    return System.nanoTime() - startNanos;
  }

  /** Returns the network address that is used; empty if there is none. */
  public String address() {
    return "";
  }

  /** Returns an outcome without a response: it has taken until now. */
  public final AttemptOutcome outcome(@Nullable RetryInfo failure, int status, String summary) {
    return new AttemptOutcome(failure, status, summary, address(), NO_RESPONSE, elapsedNanos());
  }

  /** Returns whether its outcome is being reported, or has been. */
  public final boolean hasOutcome() {
    return claimed.get();
  }

  /** Returns true to the first caller, which then reports the outcome; the others are late. */
  public final boolean claimOutcome() {
    return claimed.compareAndSet(false, true);
  }

  /** Reports the outcome. Only after {@link #claimOutcome}. */
  public final void tell(AttemptOutcome outcome) {
    Timeout pending = timeout;
    if (pending != null) {
      pending.cancel();
    }
    // First: the receiver of the outcome may send the next one at once.
    window.leave(this);
    beforeOutcome();
    try {
      done.accept(outcome);
    } catch (RuntimeException e) {
      // Let through, it would end a thread that other attempts depend on.
      LOG.error("the outcome of an attempt was not taken", e);
    }
  }

  /** Called once, right before the outcome is reported. */
  protected void beforeOutcome() {}

  /** Ends it, unless it has an outcome. */
  public final void end(AttemptOutcome outcome) {
    if (claimOutcome()) {
      tell(outcome);
    }
  }

  /** Ends it with a failure, or as a success, unless it has an outcome. */
  public final void end(@Nullable RetryInfo failure, String summary) {
    end(outcome(failure, 0, summary));
  }

  /** Ends it as not made: nothing was sent. */
  public final void giveBack(Block block) {
    end(AttemptOutcome.givenBack(block));
  }

  /** Takes what ends it when its time is over. */
  final void endsBy(Timeout newTimeout) {
    timeout = newTimeout;
    if (hasOutcome()) {
      newTimeout.cancel();
    }
  }
}
