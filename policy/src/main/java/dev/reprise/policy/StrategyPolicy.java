package dev.reprise.policy;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.policy.backoff.BackoffWriter;
import dev.reprise.policy.document.Quoted;
import dev.reprise.policy.document.Violation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A policy in the general format: everything that a strategy, and what runs it, can be told. With
 * {@link StrategyKind#NONE} nothing but {@code calls} has a meaning, and all else is as in {@link
 * #noRetry}.
 *
 * @param strategy what decides
 * @param maxAttempts how many attempts a call may make, the first one counted, at least 1; {@link
 *     #UNLIMITED} for no limit
 * @param backoff the delays of all retries but those after a throttle
 * @param throttleBackoff the delays of retries after a throttle
 * @param budget what pays for retries
 * @param hintCeiling the longest wait that the other side may ask for, at least 0 and at most 292
 *     years; a longer one ends the call
 * @param clampsHints whether a hint lengthens a delay by no more than the ceiling instead, and
 *     never ends a call
 * @param delaysLongPolls whether a long poll that the budget does not retry waits all the same
 *     before it fails
 * @param calls what holds for each call
 */
public record StrategyPolicy(
    StrategyKind strategy,
    int maxAttempts,
    Backoff backoff,
    Backoff throttleBackoff,
    BudgetPolicy budget,
    Duration hintCeiling,
    boolean clampsHints,
    boolean delaysLongPolls,
    CallSettings calls)
    implements Policy {

  static final String HEDGING_RULE = "needs maxAttempts of 2 or more: every hedge is an attempt";

  /** Checks all arguments; throws {@link PolicyException} naming each that is wrong. */
  public StrategyPolicy {
    Objects.requireNonNull(strategy, "strategy");
    Objects.requireNonNull(backoff, "backoff");
    Objects.requireNonNull(throttleBackoff, "throttleBackoff");
    Objects.requireNonNull(budget, "budget");
    Objects.requireNonNull(calls, "calls");
    List<Violation> violations = new ArrayList<>();
    if (maxAttempts < 1) {
      violations.add(
          new Violation("maxAttempts", String.valueOf(maxAttempts), "must be at least 1"));
    }
    if (hintCeiling.isNegative() || hintCeiling.compareTo(Duration.ofNanos(Long.MAX_VALUE)) > 0) {
      violations.add(
          new Violation("hintCeiling", hintCeiling.toString(), "must be between 0 and 292 years"));
    }
    requireWritable("backoff", backoff, violations);
    requireWritable("throttleBackoff", throttleBackoff, violations);
    if (strategy == StrategyKind.NONE && maxAttempts != 1) {
      violations.add(
          new Violation(
              "maxAttempts", String.valueOf(maxAttempts), "must be 1 with the strategy none"));
    }
    if (maxAttempts == 1 && calls.hedging() != null) {
      violations.add(new Violation("hedging", calls.hedging().toString(), HEDGING_RULE));
    }
    if (!violations.isEmpty()) {
      throw new PolicyException(violations);
    }
    if (strategy == StrategyKind.NONE) {
      backoff = Backoff.none();
      throttleBackoff = Backoff.none();
      budget = new BudgetPolicy.Unlimited();
      hintCeiling = Duration.ZERO;
      clampsHints = false;
      delaysLongPolls = false;
    }
  }

  private static void requireWritable(String field, Backoff backoff, List<Violation> violations) {
    if (!BackoffWriter.canWrite(backoff)) {
      violations.add(
          new Violation(
              field,
              Quoted.text(backoff.toString()),
              "must be a backoff of the core, in an order that a document can hold: formula, cap,"
                  + " jitter, then what follows"));
    }
  }

  /** Returns the policy that makes one attempt. */
  public static StrategyPolicy noRetry(CallSettings calls) {
    return new StrategyPolicy(
        StrategyKind.NONE,
        1,
        Backoff.none(),
        Backoff.none(),
        new BudgetPolicy.Unlimited(),
        Duration.ZERO,
        false,
        false,
        calls);
  }

  @Override
  public int maxRetries() {
    return maxAttempts == UNLIMITED ? UNLIMITED : maxAttempts - 1;
  }

  @Override
  public StrategyPolicy toStrategyPolicy() {
    return this;
  }

  /** Returns the same policy with another number of attempts. */
  public StrategyPolicy withMaxAttempts(int maxAttempts) {
    return new StrategyPolicy(
        strategy,
        maxAttempts,
        backoff,
        throttleBackoff,
        budget,
        hintCeiling,
        clampsHints,
        delaysLongPolls,
        calls);
  }

  /** Returns the same policy with other backoffs. */
  public StrategyPolicy withBackoffs(Backoff backoff, Backoff throttleBackoff) {
    return new StrategyPolicy(
        strategy,
        maxAttempts,
        backoff,
        throttleBackoff,
        budget,
        hintCeiling,
        clampsHints,
        delaysLongPolls,
        calls);
  }

  /** Returns the same policy with another budget. */
  public StrategyPolicy withBudget(BudgetPolicy budget) {
    return new StrategyPolicy(
        strategy,
        maxAttempts,
        backoff,
        throttleBackoff,
        budget,
        hintCeiling,
        clampsHints,
        delaysLongPolls,
        calls);
  }

  /** Returns the same policy with another ceiling of hints, and what becomes of those beyond it. */
  public StrategyPolicy withHints(Duration hintCeiling, boolean clampsHints) {
    return new StrategyPolicy(
        strategy,
        maxAttempts,
        backoff,
        throttleBackoff,
        budget,
        hintCeiling,
        clampsHints,
        delaysLongPolls,
        calls);
  }

  /** Returns the same policy with other settings of calls. */
  public StrategyPolicy withCalls(CallSettings calls) {
    return new StrategyPolicy(
        strategy,
        maxAttempts,
        backoff,
        throttleBackoff,
        budget,
        hintCeiling,
        clampsHints,
        delaysLongPolls,
        calls);
  }
}
