package dev.reprise.core.strategy;

import dev.reprise.core.Operation;
import dev.reprise.core.StopReason;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.classify.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * The state of one operation between its attempts. It is what a token holds, but changes in place,
 * so that a call that is retried ten times is one object and not ten. Made by {@link
 * StrategyDriver#begin}, and confined to one call; not thread-safe.
 */
public class CallState {
  final Operation operation;

  /**
   * The budget that pays for the retries; null until it is needed, for a scope that has not failed.
   */
  @Nullable RetryBudget budget;

  /** The attempt under way or, after a decision to retry, the next one; counts from 1. */
  int attempt = 1;

  /** The cost of the last retry, 0 before the first retry. */
  int lastCostMilliTokens;

  /** The delay before the next attempt, or before the failure is surfaced. */
  long delayNanos;

  /** Why there is no retry; null while there is one. */
  @Nullable StopReason stopReason;

  /** The verdict on the latest failure; null before the first one. */
  @Nullable Verdict failure;

  /** The wait that did not fit; null unless the reason to stop is the deadline. */
  @Nullable MissedDeadline missedDeadline;

  CallState(Operation operation, @Nullable RetryBudget budget) {
    this.operation = operation;
    this.budget = budget;
  }

  /** Returns the attempt under way or, after a decision to retry, the next one; counts from 1. */
  public final int attempt() {
    return attempt;
  }

  /**
   * Returns the delay before the next attempt, or before the failure is surfaced, in nanoseconds;
   * at least 0.
   */
  public final long delayNanos() {
    return delayNanos;
  }

  /** Returns why there is no further attempt, or null while there may be one. */
  public final @Nullable StopReason stopReason() {
    return stopReason;
  }

  /**
   * Returns this call for one who will change it: itself, or a copy if others share it. Only what
   * {@link StrategyDriver#decideFirst} returns is shared.
   */
  public CallState own() {
    return this;
  }

  /** Returns true if other calls may have this state too, so that nobody may change it. */
  public boolean isShared() {
    return false;
  }

  /** Returns true if this is shared, and a newer decision for the operation of the other. */
  boolean replaces(CallState other) {
    return false;
  }

  /** Returns what was told of a call that ended like this one, or null if nothing is kept. */
  @Nullable Explanation knownExplanation() {
    return null;
  }

  /** Keeps what is told of this call if others end like it. */
  void explained(Explanation explanation) {}

  /**
   * Ends the call for a reason of the caller's own, without a wait.
   *
   * @return false, as a decision to stop does
   */
  public final boolean stop(StopReason reason) {
    return stopAfter(0, reason);
  }

  /** Drops the facts of the latest failure; only the explanation of a stop needs it. */
  public final void forgetFailure() {
    failure = null;
  }

  /** Notes the decision on the first failure, as one on any other is noted. */
  final void decideFirst(
      Verdict verdict, @Nullable StopReason refusal, int costMilliTokens, long waitNanos) {
    failure = verdict;
    stopReason = refusal;
    delayNanos = waitNanos;
    if (refusal == null) {
      attempt = 2;
      lastCostMilliTokens = costMilliTokens;
    }
  }

  /** Notes that there is no retry, and how long to wait before the failure is surfaced. */
  boolean stopAfter(long pauseNanos, StopReason reason) {
    stopReason = reason;
    delayNanos = pauseNanos;
    return false;
  }

  /** Gives back the cost of the latest retry, because it is not made. */
  void refundLastCost() {
    if (budget != null) {
      budget.refund(lastCostMilliTokens);
      lastCostMilliTokens = 0;
    }
  }

  /**
   * A retry that could not have started before the deadline.
   *
   * @param delayNanos how long it would have had to wait
   * @param remainingNanos the time to the deadline
   */
  record MissedDeadline(long delayNanos, long remainingNanos) {}
}
