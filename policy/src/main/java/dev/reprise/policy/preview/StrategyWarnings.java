package dev.reprise.policy.preview;

import dev.reprise.common.text.AmountText;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.backoff.BackoffSequence;
import dev.reprise.core.backoff.Stage;
import dev.reprise.core.backoff.StagedBackoff;
import dev.reprise.core.budget.TokenPrices;
import dev.reprise.core.retry.Hedging;
import dev.reprise.policy.BudgetPolicy;
import dev.reprise.policy.CallSettings;
import dev.reprise.policy.Policy;
import dev.reprise.policy.StrategyPolicy;
import dev.reprise.policy.backoff.BackoffParts;
import dev.reprise.policy.preview.SchedulePreview.Row;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Warns of settings of a general policy that are allowed and that may not have been meant. */
final class StrategyWarnings {
  private final StrategyPolicy policy;
  private final List<Row> rows;
  private final List<Row> throttleRows;
  private final List<String> warnings = new ArrayList<>();

  private StrategyWarnings(StrategyPolicy policy, List<Row> rows, List<Row> throttleRows) {
    this.policy = policy;
    this.rows = rows;
    this.throttleRows = throttleRows;
  }

  static List<String> of(
      StrategyPolicy policy, List<Row> rows, List<Row> throttleRows, @Nullable Duration lifetime) {
    StrategyWarnings found = new StrategyWarnings(policy, rows, throttleRows);
    found.ofEndlessness(lifetime);
    found.ofParts("backoff", policy.backoff());
    JitterRules.addWarning(policy, false, rows, found.warnings);
    if (!throttleRows.isEmpty()) {
      found.ofParts("throttleBackoff", policy.throttleBackoff());
      JitterRules.addWarning(policy, true, throttleRows, found.warnings);
      found.ofFasterThrottle();
    }
    found.ofCap();
    found.ofRowsCutOff();
    found.ofBudget();
    found.ofHints();
    found.ofTime(lifetime);
    return found.warnings;
  }

  private void ofEndlessness(@Nullable Duration lifetime) {
    if (policy.maxAttempts() == Policy.UNLIMITED
        && policy.calls().deadline() == null
        && lifetime == null) {
      warnings.add(
          policy.budget() instanceof BudgetPolicy.Unlimited
              ? "Retries go on for ever: there is no limit of attempts, no deadline and no budget."
              : "Retries go on for as long as the budget pays: there is no limit of attempts and no"
                  + " deadline.");
    }
  }

  /** Walks over the parts of a sequence, each of which counts its retries from 1. */
  private void ofParts(String name, Backoff backoff) {
    Backoff part = backoff;
    long before = 0;
    int number = 1;
    while (part instanceof BackoffSequence sequence) {
      ofStages(sequence.first(), sequence.firstRetries());
      before += sequence.firstRetries();
      number++;
      if (before >= policy.maxRetries()) {
        warnings.add(
            "Part "
                + number
                + " of "
                + name
                + " is never reached: it begins at retry "
                + (before + 1)
                + ", and there are "
                + policy.maxRetries()
                + ".");
        return;
      }
      part = sequence.next();
    }
    ofStages(part, policy.maxRetries() == Policy.UNLIMITED ? 0 : policy.maxRetries() - before);
  }

  /**
   * Compares the stages of a part with its retries.
   *
   * @param retries how many there are; 0 for no end
   */
  private void ofStages(Backoff part, long retries) {
    StagedBackoff stages = BackoffParts.stages(part);
    if (stages == null || retries == 0 || stages.numRetries() == retries) {
      return;
    }
    String contradiction =
        "The stages have "
            + stages.numRetries()
            + " retries together, but there are "
            + retries
            + ": ";
    if (stages.numRetries() < retries) {
      warnings.add(
          contradiction + "the others wait maxDelay, " + AmountText.plain(stages.maxDelay()) + ".");
      return;
    }
    List<String> unreached = new ArrayList<>();
    long first = 1;
    for (Stage stage : Stage.values()) {
      if (stages.retriesIn(stage) > 0 && first > retries) {
        unreached.add(stage.wireName());
      }
      first += stages.retriesIn(stage);
    }
    warnings.add(
        contradiction
            + (unreached.isEmpty()
                ? "the last stage is cut short."
                : "never reached: " + String.join(", ", unreached) + "."));
  }

  private void ofFasterThrottle() {
    if (throttleRows.get(0).delay().expected().compareTo(rows.get(0).delay().expected()) < 0) {
      warnings.add(
          "After a throttle the first delay is shorter than after other failures: who asks for less"
              + " gets more.");
    }
  }

  private void ofCap() {
    long capNanos = policy.backoff().capNanos();
    Duration highest =
        rows.stream().map(row -> row.delay().highest()).max(Duration::compareTo).orElseThrow();
    if (capNanos != Long.MAX_VALUE && highest.compareTo(Duration.ofNanos(capNanos)) < 0) {
      warnings.add(
          "The cap of "
              + AmountText.plain(Duration.ofNanos(capNanos))
              + " is never reached: "
              + (policy.maxRetries() == 1 ? "1 retry gets" : policy.maxRetries() + " retries get")
              + " no further than "
              + AmountText.plain(highest)
              + ".");
    }
  }

  private void ofRowsCutOff() {
    Row last = rows.get(rows.size() - 1);
    if (last.lastRetry() < policy.maxRetries()) {
      warnings.add("Only the delays up to retry " + last.lastRetry() + " are shown.");
    }
  }

  private void ofBudget() {
    if (policy.budget() instanceof BudgetPolicy.Ratio ratio
        && ratio.retriesPerSuccess() == 0
        && ratio.retriesPerSecond() == 0) {
      ofBudgetThatEnds(ratio.savedRetries());
    }
    if (!(policy.budget() instanceof BudgetPolicy.TokenBucket bucket)) {
      return;
    }
    TokenPrices prices = bucket.prices();
    long capacityMilliTokens = bucket.capacityTokens() * 1000L;
    ofPrice("a retry", capacityMilliTokens, prices.errorMilliTokens());
    ofPrice("a retry after a throttle", capacityMilliTokens, prices.throttleMilliTokens());
    ofPrice("a retry after a timeout", capacityMilliTokens, prices.timeoutMilliTokens());
    boolean fills =
        prices.rewardMilliTokens() > 0 || prices.refundsLastCost() || bucket.tokensPerSecond() > 0;
    if (!fills && prices.errorMilliTokens() > 0) {
      ofBudgetThatEnds(capacityMilliTokens / prices.errorMilliTokens());
    }
  }

  private void ofBudgetThatEnds(long retries) {
    warnings.add(
        "The budget is never filled again: after " + retries + " retries there are no more.");
  }

  private void ofPrice(String what, long capacityMilliTokens, int priceMilliTokens) {
    if (priceMilliTokens > capacityMilliTokens) {
      warnings.add(
          "The budget holds "
              + tokens(capacityMilliTokens)
              + " tokens, and "
              + what
              + " costs "
              + tokens(priceMilliTokens)
              + ": it is always denied.");
    }
  }

  private static String tokens(long milliTokens) {
    return BigDecimal.valueOf(milliTokens, 3).stripTrailingZeros().toPlainString();
  }

  private void ofHints() {
    if (policy.clampsHints()) {
      warnings.add(
          "Hints are clamped: a retry may come earlier than the other side asked, for a hint"
              + " lengthens a delay by at most "
              + AmountText.plain(policy.hintCeiling())
              + ".");
    } else if (policy.hintCeiling().isZero()) {
      warnings.add("The hint ceiling is 0: any hint ends the call.");
    }
  }

  private void ofTime(@Nullable Duration lifetime) {
    CallSettings calls = policy.calls();
    Duration deadline = calls.deadline();
    Duration attemptTimeout = calls.attemptTimeout();
    if (lifetime != null && (deadline == null || lifetime.compareTo(deadline) < 0)) {
      ofEnd("lifetime", lifetime);
    } else if (deadline != null) {
      ofEnd("deadline", deadline);
    }
    if (deadline != null && attemptTimeout != null && attemptTimeout.compareTo(deadline) >= 0) {
      warnings.add("attemptTimeout ends no attempt: the deadline comes first.");
    }
    Hedging hedging = calls.hedging();
    if (hedging == null) {
      return;
    }
    Duration shortest =
        deadline == null || (attemptTimeout != null && attemptTimeout.compareTo(deadline) < 0)
            ? attemptTimeout
            : deadline;
    if (shortest != null && hedging.delay().compareTo(shortest) >= 0) {
      warnings.add(
          "No hedge is ever started: an attempt is ended after "
              + AmountText.plain(shortest)
              + ".");
    } else if (hedging.maxHedges() >= policy.maxAttempts()) {
      warnings.add(
          "Of "
              + hedging.maxHedges()
              + " hedges at most "
              + policy.maxRetries()
              + " are started: every hedge is an attempt.");
    }
  }

  private void ofEnd(String name, Duration end) {
    int atBest = PreviewLifetimes.retriesWithin(rows, end, DelaySpan::lowest);
    int atWorst = PreviewLifetimes.retriesWithin(rows, end, DelaySpan::highest);
    if (atWorst >= policy.maxRetries()) {
      return;
    }
    String of = policy.maxAttempts() == Policy.UNLIMITED ? "" : " of " + policy.maxAttempts();
    warnings.add(
        "The "
            + name
            + " of "
            + AmountText.plain(end)
            + " may end before the schedule: attempt "
            + (1L + atWorst)
            + of
            + " is the last that can start in time when all delays are long"
            + (atBest >= policy.maxRetries()
                ? "."
                : ", attempt " + (1L + atBest) + " when all are short."));
  }
}
