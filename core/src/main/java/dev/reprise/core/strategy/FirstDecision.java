package dev.reprise.core.strategy;

import dev.reprise.core.Operation;
import dev.reprise.core.StopReason;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.classify.Verdict;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The state of a call after the decision on its first failure, when that needs no wait. It is the
 * same for one call after the other: a retry at once that costs the same, or an empty budget. So
 * all of them share one object, which is never changed; a call that goes on has a {@linkplain #own
 * copy}. Thread-safe if it is handed over by a volatile field.
 */
final class FirstDecision extends CallState {
  /** The latest explanation of such a call, if one was asked for. */
  private volatile @Nullable Explanation explanation;

  private FirstDecision(
      Operation operation,
      @Nullable RetryBudget budget,
      Verdict failure,
      @Nullable StopReason stopReason,
      int costMilliTokens) {
    super(operation, budget);
    decideFirst(failure, stopReason, costMilliTokens, 0);
  }

  /** Returns the decision, which is the latest one if that is the same. */
  static CallState of(
      @Nullable CallState latest,
      Operation operation,
      @Nullable RetryBudget budget,
      Verdict failure,
      @Nullable StopReason stopReason,
      int costMilliTokens) {
    return latest instanceof FirstDecision same
            && same.isOf(operation, budget, failure, stopReason, costMilliTokens)
        ? same
        : new FirstDecision(operation, budget, failure, stopReason, costMilliTokens);
  }

  /** Returns true if this is the very decision on the first failure of such a call too. */
  @SuppressWarnings("ReferenceEquality") // Equal ones that are not the same cost an object.
  private boolean isOf(
      Operation otherOperation,
      @Nullable RetryBudget otherBudget,
      Verdict otherFailure,
      @Nullable StopReason otherReason,
      int costMilliTokens) {
    return operation == otherOperation
        && budget == otherBudget
        && failure == otherFailure
        && stopReason == otherReason
        && (otherReason != null || lastCostMilliTokens == costMilliTokens);
  }

  @Override
  public CallState own() {
    CallState copy = new CallState(operation, budget);
    copy.decideFirst(
        Objects.requireNonNull(failure, "failure"), stopReason, lastCostMilliTokens, 0);
    return copy;
  }

  @Override
  public boolean isShared() {
    return true;
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // As above.
  boolean replaces(CallState other) {
    return this != other && operation == other.operation;
  }

  @Override
  @Nullable Explanation knownExplanation() {
    return explanation;
  }

  @Override
  void explained(Explanation latest) {
    explanation = latest;
  }
}
