package dev.reprise.delivery.shard;

import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import dev.reprise.core.StopReason;
import dev.reprise.core.strategy.RetryDecision;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.DeliveryState;
import dev.reprise.delivery.DeliveryState.Status;
import dev.reprise.delivery.DueReason;
import dev.reprise.delivery.HistoryEvent;
import dev.reprise.delivery.HistoryEvent.LoggedOutcome;
import dev.reprise.delivery.RepeatReason;
import java.time.Duration;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Decides what the outcome of an attempt means for its delivery and for its endpoint: delivered,
 * retried, given up, or not attempted at all.
 */
final class Outcomes {
  /**
   * The longest time that a hint may pause the whole endpoint; the delivery itself waits in full.
   */
  private static final long MAX_PAUSE_MILLIS = Duration.ofMinutes(5).toMillis();

  /** The status of HTTP for an endpoint that has gone for good. */
  private static final int GONE = 410;

  private final Step step;
  private final RandomGenerator random;
  private final Endings endings;
  private final Dispatch dispatch;
  private final Receipts receipts;
  private final Holds holds;
  private final Refusals refusals;
  private final UnderWay underWay;
  private final Minutes minutes;
  private final Map<Long, SubscriptionState> subscriptions;

  Outcomes(
      Step step,
      RandomGenerator random,
      Endings endings,
      Dispatch dispatch,
      Receipts receipts,
      Holds holds,
      Refusals refusals,
      UnderWay underWay,
      Minutes minutes,
      Map<Long, SubscriptionState> subscriptions) {
    this.step = step;
    this.random = random;
    this.endings = endings;
    this.dispatch = dispatch;
    this.receipts = receipts;
    this.holds = holds;
    this.refusals = refusals;
    this.underWay = underWay;
    this.minutes = minutes;
    this.subscriptions = subscriptions;
  }

  void complete(ShardInput.Completed completed) {
    Claim claim = completed.claim();
    AttemptOutcome outcome = completed.outcome();
    long endedAt = Math.min(completed.endedAtMillis(), step.nowMillis);
    underWay.ended(claim, outcome.made());
    SubscriptionState state = subscriptions.get(claim.subscription());
    if (state == null || state.inFlight.remove(claim.message()) == null) {
      // The subscription was removed meanwhile, and the ledger has counted this as discarded.
      dispatch.endedAfterRemoval(claim, outcome, endedAt);
      return;
    }
    dispatch.ended(state, claim, outcome, endedAt);
    boolean cancelled = state.endsCancelled(claim.message());
    if (!outcome.made()) {
      giveBack(state, claim, cancelled);
      return;
    }
    state.leftThisTurn.add(claim.message());
    dispatch.observe(state, claim, outcome.durationNanos());
    observe(state.concurrency, outcome);
    state.concurrency.occupied(state.inFlight.size(), step.nowNanos);
    state.counters.attempts++;
    state.counters.standing.ended(outcome, endedAt);
    RepeatReason mayRepeat = claim.pending().unclear();
    if (mayRepeat != null && RepeatReason.mayHaveArrived(outcome)) {
      state.counters.repeats[Code.REPEAT.of(mayRepeat)]++;
    }
    step.batch.deleteOnce(claim.pending().key(claim.subscription()));
    RetryInfo failure = outcome.failure();
    if (failure == null) {
      state.counters.pending--;
      state.counters.delivered++;
      refusals.succeeded(state, claim);
      endings.release(claim.pending());
      receipts.await(claim, outcome.receiptIds(), endedAt);
      minutes.attempted(state, outcome, Status.DELIVERED);
      log(state, claim, outcome, endedAt, new DeliveryState(Status.DELIVERED, endedAt, null), null);
      step.touch(state);
      return;
    }
    pause(state, failure, endedAt);
    SubscriptionSpec spec = state.spec;
    boolean isGone = outcome.status() == GONE && spec.suspendsWhenGone();
    if (isGone) {
      holds.gone(state, outcome.summary());
    }
    if (cancelled) {
      giveUp(state, claim, outcome, StopReason.CANCELLED, endedAt);
      return;
    }
    RetryDecision decision =
        spec.policy()
            .decide(
                claim.pending().retries(),
                failure,
                /* idempotent: at least once with a stable id is the contract */ true,
                remainingNanos(spec.deadlineMillis(claim.pending().sinceMillis()), endedAt),
                random);
    if (decision instanceof RetryDecision.Retry retry) {
      refusals.tried(state, claim, outcome, step.nowMillis);
      retry(state, claim, outcome, endedAt, retry);
    } else if (decision instanceof RetryDecision.Stop stop) {
      boolean isRefusal = stop.reason() == StopReason.NOT_RETRYABLE;
      if (isRefusal && !isGone && refusals.refused(state, claim, outcome, step.nowMillis)) {
        waitUncharged(state, claim, outcome, endedAt);
        return;
      }
      if (!isRefusal) {
        refusals.endedOtherwise(state, claim, outcome, step.nowMillis);
      }
      giveUp(state, claim, outcome, stop.reason(), endedAt);
    }
  }

  /**
   * The delivery was refused as all others were: it has its retries left, and its place in time.
   */
  private void waitUncharged(
      SubscriptionState state, Claim claim, AttemptOutcome outcome, long endedAt) {
    long wait = refusals.waitMillis(state, step.nowMillis);
    putBack(
        state,
        claim,
        outcome,
        endedAt,
        step.nowMillis + wait,
        claim.pending().retries(),
        DueReason.held(wait));
  }

  private void giveUp(
      SubscriptionState state,
      Claim claim,
      AttemptOutcome outcome,
      StopReason reason,
      long endedAt) {
    DeliveryState after =
        endings.giveUp(
            state,
            claim.pending().withUnclear(unclear(claim, outcome)),
            claim.attempt(),
            reason,
            outcome.summary(),
            endedAt);
    minutes.attempted(state, outcome, after.status());
    log(state, claim, outcome, endedAt, after, null);
    step.touch(state);
  }

  /**
   * The attempt was not made, for a reason of this process: the delivery stays as it is stored, and
   * nothing is written. The group is blocked for as long as the outcome says.
   */
  private void giveBack(SubscriptionState state, Claim claim, boolean cancelled) {
    state.concurrency.occupied(state.inFlight.size(), step.nowNanos);
    if (cancelled) {
      endings.cancel(state, claim.pending());
      return;
    }
    state.addedThisTurn(claim.pending().dueMillis(), claim.message());
    step.fold(state);
  }

  private void observe(Concurrency concurrency, AttemptOutcome outcome) {
    RetryInfo failure = outcome.failure();
    if (failure == null) {
      concurrency.succeeded(outcome.durationNanos(), step.nowNanos);
    } else if (failure.isRetrySafe() != RetrySafety.NO) {
      // A refusal of this one message says nothing about the endpoint's health.
      concurrency.failed(step.nowNanos);
    }
  }

  /**
   * A pause that the endpoint asks for holds for its subscription alone: others on the same host
   * may have other owners, and its answer must not pause them.
   */
  private void pause(SubscriptionState state, RetryInfo failure, long endedAt) {
    Duration hint = failure.retryAfter();
    if (hint != null && failure.isThrottle()) {
      minutes.pauseBegins(state);
      long pause = Math.min(Step.ceilMillis(hint), MAX_PAUSE_MILLIS);
      state.counters.pausedUntilMillis =
          Math.max(state.counters.pausedUntilMillis, endedAt + pause);
    }
  }

  private void retry(
      SubscriptionState state,
      Claim claim,
      AttemptOutcome outcome,
      long endedAt,
      RetryDecision.Retry retry) {
    long due = endedAt + Step.ceilMillis(retry.delayNanos());
    DueReason reason =
        new DueReason(
            DueReason.Kind.RETRY,
            retry.retry(),
            state.spec.stageOf(retry.retry()),
            Step.ceilMillis(retry.backoffNanos()),
            retry.hintNanos() < 0 ? -1 : Step.ceilMillis(retry.hintNanos()));
    putBack(state, claim, outcome, endedAt, due, retry.retry(), reason);
  }

  /** Why the receiver may have the message after this attempt; null if it has not. */
  private static @Nullable RepeatReason unclear(Claim claim, AttemptOutcome outcome) {
    RepeatReason now = RepeatReason.of(outcome);
    return now == null ? claim.pending().unclear() : now;
  }

  /** The delivery stays pending. */
  private void putBack(
      SubscriptionState state,
      Claim claim,
      AttemptOutcome outcome,
      long endedAt,
      long due,
      int retries,
      DueReason reason) {
    Pending before = claim.pending();
    Pending pending =
        new Pending(
            before.message(),
            due,
            claim.attempt(),
            retries,
            before.sinceMillis(),
            reason,
            before.payload(),
            unclear(claim, outcome));
    step.batch.putOnce(pending.key(claim.subscription()), pending.encode());
    dispatch.await(state, pending);
    minutes.attempted(state, outcome, Status.PENDING);
    log(state, claim, outcome, endedAt, new DeliveryState(Status.PENDING, due, null), reason);
    step.touch(state);
  }

  private void log(
      SubscriptionState state,
      Claim claim,
      AttemptOutcome outcome,
      long endedAt,
      DeliveryState after,
      @Nullable DueReason due) {
    LoggedOutcome logged =
        new LoggedOutcome(
            outcome.succeeded(),
            outcome.status(),
            outcome.summary(),
            outcome.address(),
            outcome.response(),
            outcome.durationNanos());
    endings.log(
        state,
        claim.message(),
        new HistoryEvent(
            HistoryEvent.Kind.ATTEMPT,
            endedAt,
            claim.attempt(),
            logged,
            after,
            due,
            claim.pending().unclear()));
  }

  private static long remainingNanos(long deadlineMillis, long nowMillis) {
    if (deadlineMillis == Long.MAX_VALUE) {
      return Long.MAX_VALUE;
    }
    long millis = Math.max(0, deadlineMillis - nowMillis);
    return millis > Long.MAX_VALUE / 1_000_000 ? Long.MAX_VALUE : millis * 1_000_000;
  }
}
