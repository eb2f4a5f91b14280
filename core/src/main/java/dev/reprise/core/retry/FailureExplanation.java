package dev.reprise.core.retry;

import dev.reprise.core.RetrySafety;
import dev.reprise.core.StopReason;
import dev.reprise.core.classify.Verdict;
import dev.reprise.core.strategy.StandardRetryStrategy;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Why a failure would be retried or not; see {@link Retry#explain}. Immutable.
 *
 * @param isRetried whether another attempt would be made, as long as attempts, budget and deadline
 *     are left; false when a strategy decides that is not asked
 * @param stopReason why there would be none; null when there would be one, and when a strategy
 *     decides that is not asked
 * @param verdict what the rules made of the failure; null when they were not asked
 * @param sentence all of it for people, with what to change
 */
public record FailureExplanation(
    boolean isRetried,
    @Nullable StopReason stopReason,
    @Nullable Verdict verdict,
    String sentence) {
  private static final int MAX_CAUSES = 16;

  /** The names under which exceptions of the usual libraries tell a status or a code. */
  private static final List<String> STATUS_METHODS =
      List.of(
          "getStatus",
          "getStatusCode",
          "statusCode",
          "status",
          "code",
          "getCode",
          "getErrorCode",
          "errorCode",
          "getReplyCode",
          "getResponse");

  /** Checks that there is a sentence. */
  public FailureExplanation {
    Objects.requireNonNull(sentence, "sentence");
  }

  static FailureExplanation of(RetryEngine engine, Throwable failure) {
    FailureExplanation explained = ofFailure(engine, failure);
    RetryStoppedException note = RetryStoppedException.of(failure);
    return note == null
        ? explained
        : new FailureExplanation(
            explained.isRetried,
            explained.stopReason,
            explained.verdict,
            explained.sentence + " It has ended an operation: " + note.getMessage() + ".");
  }

  /** In the order in which a decision is made. */
  private static FailureExplanation ofFailure(RetryEngine engine, Throwable failure) {
    if (failure instanceof Error) {
      return stopped(StopReason.NOT_RETRYABLE, null, failure, "an Error is never retried");
    }
    try {
      if (engine.judge.isAborted(failure)) {
        return stopped(
            StopReason.NOT_RETRYABLE,
            null,
            failure,
            "it meets a condition of RetryBuilder.abortIf");
      }
      StandardRetryStrategy standard = engine.strategy().standard();
      return standard == null
          ? new FailureExplanation(
              false,
              null,
              null,
              name(failure)
                  + " is left to the strategy, which is "
                  + engine.strategy()
                  + ": only those of RetryStrategies can be asked beforehand.")
          : classified(engine, standard, failure);
    } catch (RuntimeException brokenRule) {
      return stopped(
          StopReason.NOT_RETRYABLE, null, failure, "a rule about it throws " + brokenRule);
    }
  }

  private static FailureExplanation classified(
      RetryEngine engine, StandardRetryStrategy standard, Throwable failure) {
    Verdict verdict = standard.classify(failure);
    String why = because(standard, verdict, failure);
    if (!verdict.isRetrySafe().allowsRetry(engine.operation.idempotent())) {
      return stopped(StopReason.NOT_RETRYABLE, verdict, failure, why + refused(verdict, failure));
    }
    if (standard.maxAttempts() == 1) {
      return stopped(
          StopReason.ATTEMPTS, verdict, failure, why + "; but maxAttempts is 1, which is no retry");
    }
    Duration hint = verdict.retryAfter();
    Duration longest = standard.longestHint();
    if (hint != null && longest != null && hint.compareTo(longest) > 0) {
      return stopped(
          StopReason.HINT_TOO_LONG,
          verdict,
          failure,
          why
              + "; but the other side asks to wait for "
              + hint
              + ", and at most "
              + longest
              + " is accepted. To retry it: a longer hintCeiling");
    }
    if (hint != null && hint.toNanos() > engine.deadlineNanos()) {
      return stopped(
          StopReason.DEADLINE,
          verdict,
          failure,
          why
              + "; but the other side asks to wait for "
              + hint
              + ", which is beyond the deadline of "
              + Duration.ofNanos(engine.deadlineNanos()));
    }
    boolean mayHaveTakenEffect = verdict.isRetrySafe() == RetrySafety.MAYBE;
    return new FailureExplanation(
        true,
        null,
        verdict,
        name(failure)
            + " is retried: "
            + why
            + (mayHaveTakenEffect
                ? "; it may have taken effect, and the operation is declared idempotent"
                : "")
            + ". Up to "
            + standard.maxAttempts()
            + " attempts in all, as long as the budget pays"
            + (hint == null ? "" : ", the next one not before " + hint)
            + ".");
  }

  /** Returns the reason, and whose it is when a cause decided. */
  private static String because(
      StandardRetryStrategy standard, Verdict verdict, Throwable failure) {
    Throwable decisive = failure;
    Throwable cause = failure.getCause();
    for (int i = 0; i < MAX_CAUSES && cause != null && verdict.isKnown(); i++) {
      Verdict ofCause = standard.classify(cause);
      if (ofCause.basis() != verdict.basis() || !ofCause.reason().equals(verdict.reason())) {
        break;
      }
      decisive = cause;
      cause = cause.getCause();
    }
    String facts =
        (verdict.isThrottle() ? ", a throttle" : "") + (verdict.isTimeout() ? ", a timeout" : "");
    return verdict.reason()
        + facts
        + (decisive == failure ? "" : " (by its cause " + name(decisive) + ")");
  }

  /** Returns the reason of a refusal, and the change that would lift it. */
  private static String refused(Verdict verdict, Throwable failure) {
    if (verdict.isRetrySafe() == RetrySafety.MAYBE) {
      return "; it may have taken effect, and is not declared idempotent. To retry it:"
          + " RetryBuilder.idempotent(true), if repeating does no harm";
    }
    Throwable withStatus = firstWithStatus(failure);
    return switch (verdict.basis()) {
      case UNKNOWN ->
          ", no rule knows "
              + failure.getClass().getName()
              + (withStatus == null ? adviceOnType(failure) : adviceOnStatus(withStatus));
      case GENERIC, INDICATION ->
          withStatus == null
              ? ". To retry it all the same: a FailureRule that says so, which has the last word"
              : ". The same request would get the same answer";
      case STATEMENT -> ". That is what the failure or a rule says";
      case VETO -> ". Nothing overrides that";
    };
  }

  private static String adviceOnType(Throwable failure) {
    String type = name(failure) + ".class";
    return ". To retry it: Retry.builder().retryOn("
        + type
        + ") if it tells that nothing has happened; where it may have taken effect, a strategy"
        + " whose classifier is Classifier.defaults().with(FailureRule.maybeRetryOn("
        + type
        + "))";
  }

  /** All its statuses have one type, and only some of them are worth a retry. */
  private static String adviceOnStatus(Throwable failure) {
    return ". To retry some of its kind: Retry.builder().retryIf, with a condition on "
        + name(failure)
        + "."
        + statusOf(failure)
        + "(), or FailureRule.maybeRetryIf where it may have taken effect; not the type alone,"
        + " which requests that are wrong have too";
  }

  private static @Nullable Throwable firstWithStatus(Throwable failure) {
    Throwable cause = failure;
    for (int i = 0; i < MAX_CAUSES && cause != null; i++) {
      if (statusOf(cause) != null) {
        return cause;
      }
      cause = cause.getCause();
    }
    return null;
  }

  /** Returns the name of the method that tells a status or a code, or null. */
  private static @Nullable String statusOf(Throwable failure) {
    try {
      for (String name : STATUS_METHODS) {
        for (Method method : failure.getClass().getMethods()) {
          if (method.getName().equals(name) && method.getParameterCount() == 0) {
            return name;
          }
        }
      }
    } catch (RuntimeException | LinkageError unreadable) {
      // A class that lacks some of its own: the explanation does without.
    }
    return null;
  }

  private static FailureExplanation stopped(
      StopReason reason, @Nullable Verdict verdict, Throwable failure, String why) {
    return new FailureExplanation(
        false, reason, verdict, name(failure) + " is not retried: " + why + ".");
  }

  private static String name(Throwable failure) {
    String simple = failure.getClass().getSimpleName();
    return simple.isEmpty() ? failure.getClass().getName() : simple;
  }

  /** Returns the sentence. */
  @Override
  public String toString() {
    return sentence;
  }
}
