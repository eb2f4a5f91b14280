package dev.reprise.core.strategy;

import dev.reprise.core.RetrySafety;
import dev.reprise.core.StopReason;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.classify.Verdict;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Says why there is no retry: the numbers, and the setting that would change the answer. It keeps
 * the numbers of its moment, and puts them into words only when it is asked, which is rare: the
 * words take longer than the decision. Immutable and thread-safe.
 */
final class Explanation implements Supplier<String> {
  private static final int MILLI_DIGITS = 3;

  private final @Nullable StopReason reason;
  private final @Nullable Verdict failure;
  private final int attempt;
  private final int maxAttempts;
  private final Duration hintCeiling;
  private final CallState.@Nullable MissedDeadline missedDeadline;
  private final @Nullable String scope;

  // Of the budget, in milli-tokens; 0 unless the budget is the reason.
  private final long balance;
  private final long capacity;
  private final int cost;

  private Explanation(
      CallState call,
      int maxAttempts,
      Duration hintCeiling,
      long balance,
      long capacity,
      int cost) {
    this.reason = call.stopReason;
    this.failure = call.failure;
    this.attempt = call.attempt;
    this.maxAttempts = maxAttempts;
    this.hintCeiling = hintCeiling;
    this.missedDeadline = call.missedDeadline;
    this.scope = call.operation.scope();
    this.balance = balance;
    this.capacity = capacity;
    this.cost = cost;
  }

  static Explanation of(CallState call, int maxAttempts, Duration hintCeiling, long nowNanos) {
    RetryBudget budget = call.budget;
    if (call.stopReason != StopReason.BUDGET || call.failure == null || budget == null) {
      return new Explanation(call, maxAttempts, hintCeiling, 0, 0, 0);
    }
    long balance = budget.balanceMilliTokens(nowNanos);
    long capacity = budget.capacityMilliTokens();
    int cost = budget.costMilliTokens(call.failure);
    // An empty budget denies call after call with the same numbers.
    Explanation known = call.knownExplanation();
    if (known != null && known.tells(balance, capacity, cost)) {
      return known;
    }
    Explanation explanation =
        new Explanation(call, maxAttempts, hintCeiling, balance, capacity, cost);
    call.explained(explanation);
    return explanation;
  }

  private boolean tells(long otherBalance, long otherCapacity, int otherCost) {
    return balance == otherBalance && capacity == otherCapacity && cost == otherCost;
  }

  /** Returns the explanation in words. */
  @Override
  public String get() {
    // Noticed after the wait, when the failure before it is forgotten.
    if (failure == null && reason == StopReason.DEADLINE) {
      return deadline(missedDeadline);
    }
    if (reason == null || failure == null) {
      return "attempt " + attempt + " of " + maxAttempts + " (maxAttempts)";
    }
    return switch (reason) {
      case NOT_RETRYABLE -> notRetryable(failure);
      case ATTEMPTS -> "attempts: " + attempt + " of " + maxAttempts + " made (maxAttempts)";
      case BUDGET -> budget(failure);
      case DEADLINE -> deadline(missedDeadline);
      case HINT_TOO_LONG ->
          "hint: the other side asks to wait for "
              + failure.retryAfter()
              + ", at most "
              + hintCeiling
              + " is accepted (hintCeiling)";
      case INTERRUPTED -> "interrupted: the waiting thread was asked to stop";
      case CANCELLED -> "cancelled: the caller takes no result any more";
      case CLOSED -> "closed: what makes the attempts was closed";
      case UNREADABLE -> "unreadable: what was stored of the operation cannot be read";
      case SUSPENDED -> "suspended: the operation was held for as long as is allowed";
    };
  }

  private static String notRetryable(Verdict failure) {
    return failure.isRetrySafe() == RetrySafety.MAYBE
        ? "not retryable: "
            + failure.reason()
            + "; it may have taken effect, and is not declared idempotent"
            + " (Operation.idempotent)"
        : "not retryable: " + failure.reason() + " (classifier)";
  }

  private static String deadline(CallState.@Nullable MissedDeadline missed) {
    if (missed == null) {
      return "deadline: it has passed (deadline)";
    }
    return "deadline: the next attempt must wait for "
        + Duration.ofNanos(missed.delayNanos())
        + ", and "
        + Duration.ofNanos(Math.max(0, missed.remainingNanos()))
        + " are left (deadline)";
  }

  private String budget(Verdict failure) {
    return "budget"
        + (scope == null ? "" : " of " + scope)
        + ": "
        + tokens(balance)
        + " of "
        + rounded(capacity)
        + " tokens left, a retry after this failure costs "
        + rounded(cost)
        + " (TokenPrices."
        + price(failure)
        + ")";
  }

  /** The price that applies; {@code TokenPrices} takes the dearer one when both do. */
  private static String price(Verdict failure) {
    if (failure.isThrottle()) {
      return "throttleMilliTokens" + (failure.isTimeout() ? " or timeoutMilliTokens" : "");
    }
    return failure.isTimeout() ? "timeoutMilliTokens" : "errorMilliTokens";
  }

  private static String rounded(long milliTokens) {
    return tokens(milliTokens).stripTrailingZeros().toPlainString();
  }

  private static BigDecimal tokens(long milliTokens) {
    return BigDecimal.valueOf(milliTokens, MILLI_DIGITS);
  }
}
