package dev.reprise.core.strategy;

import dev.reprise.core.RetrySafety;
import dev.reprise.core.StopReason;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.classify.Verdict;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Says why there is no retry: the numbers, and the setting that would change the answer. */
final class Explanation {
  private static final int MILLI_DIGITS = 3;

  private Explanation() {}

  static String of(CallState call, int maxAttempts, Duration hintCeiling, long nowNanos) {
    StopReason reason = call.stopReason;
    Verdict failure = call.failure;
    // Noticed after the wait, when the failure before it is forgotten.
    if (failure == null && reason == StopReason.DEADLINE) {
      return deadline(call.missedDeadline);
    }
    if (reason == null || failure == null) {
      return "attempt " + call.attempt + " of " + maxAttempts + " (maxAttempts)";
    }
    return switch (reason) {
      case NOT_RETRYABLE -> notRetryable(failure);
      case ATTEMPTS -> "attempts: " + call.attempt + " of " + maxAttempts + " made (maxAttempts)";
      case BUDGET -> budget(call, failure, nowNanos);
      case DEADLINE -> deadline(call.missedDeadline);
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

  private static String budget(CallState call, Verdict failure, long nowNanos) {
    RetryBudget budget = Objects.requireNonNull(call.budget, "budget");
    String scope = call.operation.scope();
    return "budget"
        + (scope == null ? "" : " of " + scope)
        + ": "
        + tokens(budget.balanceMilliTokens(nowNanos))
        + " of "
        + rounded(budget.capacityMilliTokens())
        + " tokens left, a retry after this failure costs "
        + rounded(budget.costMilliTokens(failure))
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
