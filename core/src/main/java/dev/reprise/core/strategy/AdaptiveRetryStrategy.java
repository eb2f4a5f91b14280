package dev.reprise.core.strategy;

import dev.reprise.core.Operation;
import dev.reprise.core.budget.ScopedBudgets;
import dev.reprise.core.classify.Verdict;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A {@link StandardRetryStrategy} that also slows down first attempts when the other side
 * throttles, and finds out by and by how fast it may go: the client-side rate limiter of the AWS
 * SDKs' adaptive mode, with the curve of TCP CUBIC. Use it where all calls of a scope draw on one
 * quota of the other side; a single throttled resource would otherwise slow its neighbours down.
 *
 * <p>Until the first throttle nothing is paced. Afterwards {@link
 * dev.reprise.core.RetryToken#delay()} of a first attempt may be more than 0, and the delay of a
 * retry is the longer of its backoff and its place in the queue. No attempt waits for its place
 * longer than 20 s: then it is made although the rate does not allow it. A throttle slows the
 * client down even when it is not retried.
 *
 * <p>Each scope has its own limiter; from the 129th named scope on they share one. Thread-safe.
 */
public final class AdaptiveRetryStrategy extends TokenIssuer {
  /**
   * The longest pace, as long as the longest backoff: a call that has waited that long is let
   * through.
   */
  private static final long MAX_PACE_NANOS = TimeUnit.SECONDS.toNanos(20);

  private final StandardRetryStrategy standard;
  private final LongSupplier nanoClock;
  private final RateLimiters limiters;

  /** Set for good by the first throttle, so that until then first attempts need only read it. */
  private volatile boolean throttled;

  AdaptiveRetryStrategy(StandardRetryStrategy standard) {
    this.standard = standard;
    this.nanoClock = standard.nanoClock();
    this.limiters = new RateLimiters(nanoClock);
  }

  /** Returns the budgets that pay for retries, to be watched, or to be shared with others. */
  public ScopedBudgets budgets() {
    return standard.budgets();
  }

  /** A call with its place in the queue. */
  private static final class PacedCall extends CallState {
    /** No place: the attempt is not paced. */
    private static final long NO_TICKET = 0;

    final CubicRateLimiter limiter;
    long ticket = NO_TICKET;

    /** The time at which the wait for other reasons than the queue is over. */
    long notBeforeNanos;

    /** The time at which the wait in the queue is over at the latest. */
    long notAfterNanos;

    PacedCall(Operation operation, CubicRateLimiter limiter) {
      super(operation, null);
      this.limiter = limiter;
    }

    /** Takes a place in the queue beside a delay of its own. */
    void enqueue(long nowNanos, long ownDelayNanos) {
      ticket = limiter.enqueue();
      notBeforeNanos = nowNanos + ownDelayNanos;
      notAfterNanos = nowNanos + MAX_PACE_NANOS;
      delayNanos = Math.max(ownDelayNanos, paceNanos(limiter.waitNanosOf(ticket)));
    }

    /** Gives up the place if it is still held; returns false when its turn has come before. */
    boolean leave() {
      boolean waited = ticket != NO_TICKET && limiter.leave(ticket);
      ticket = NO_TICKET;
      return waited;
    }
  }

  @Override
  boolean pacesFirstAttempts() {
    return throttled;
  }

  @Override
  void recordFirstSuccess(Operation operation) {
    limiters.of(operation.scope()).onSuccess();
    standard.recordFirstSuccess(operation);
  }

  @Override
  CallState begin(Operation operation) {
    PacedCall call = new PacedCall(operation, limiters.of(operation.scope()));
    if (call.limiter.isEnabled()) {
      call.enqueue(nanoClock.getAsLong(), 0);
    }
    return call;
  }

  @Override
  long furtherDelayNanos(CallState state) {
    PacedCall call = (PacedCall) state;
    if (call.ticket == PacedCall.NO_TICKET) {
      return 0;
    }
    long nowNanos = nanoClock.getAsLong();
    long ownNanos = Math.max(0, call.notBeforeNanos - nowNanos);
    long patienceNanos = Math.max(0, call.notAfterNanos - nowNanos);
    return Math.max(ownNanos, Math.min(call.limiter.waitNanosOf(call.ticket), patienceNanos));
  }

  @Override
  boolean decide(CallState state, Throwable failure, long remainingNanos) {
    PacedCall call = (PacedCall) state;
    Verdict verdict = standard.classify(failure);
    call.leave();

    // First of all, so that a throttle slows the client down even when no retry follows.
    if (verdict.isThrottle()) {
      call.limiter.onThrottle();
      throttled = true;
    } else {
      call.limiter.onOtherFailure();
    }

    boolean paced = call.limiter.isEnabled();
    long paceNanos = paced ? paceNanos(call.limiter.waitNanosOfNext()) : 0;
    if (!standard.decide(call, verdict, remainingNanos, paceNanos)) {
      return false;
    }
    if (paced) {
      call.enqueue(nanoClock.getAsLong(), call.delayNanos);
    }
    return true;
  }

  private static long paceNanos(long waitNanos) {
    return Math.min(waitNanos, MAX_PACE_NANOS);
  }

  @Override
  void recordSuccess(CallState state) {
    PacedCall call = (PacedCall) state;
    call.leave();
    call.limiter.onSuccess();
    standard.recordSuccess(call);
  }

  @Override
  void abandon(CallState state) {
    PacedCall call = (PacedCall) state;
    boolean hadTicket = call.ticket != PacedCall.NO_TICKET;
    if (hadTicket && !call.leave()) {
      call.limiter.giveBack();
    }
    standard.abandon(call);
  }

  @Override
  boolean payForHedge(CallState state) {
    PacedCall call = (PacedCall) state;

    // A hedge never queues: it is of use at once or not at all.
    boolean paced = call.limiter.isEnabled();
    if (paced && !call.limiter.tryAcquire()) {
      return false;
    }

    if (!standard.payForHedge(call)) {
      if (paced) {
        call.limiter.giveBack();
      }
      return false;
    }
    return true;
  }

  @Override
  boolean isThrottle(CallState state, Throwable failure) {
    boolean throttle = standard.isThrottle(state, failure);
    if (throttle) {
      ((PacedCall) state).limiter.onThrottle();
      throttled = true;
    }
    return throttle;
  }

  @Override
  StandardRetryStrategy standard() {
    return standard;
  }

  @Override
  Supplier<String> explanation(CallState call) {
    return standard.explanation(call);
  }

  @Override
  public String toString() {
    return "adaptive " + standard;
  }
}
