package dev.reprise.policy.preview;

import dev.reprise.common.text.AmountText;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.policy.BudgetPolicy;
import dev.reprise.policy.Policy;
import dev.reprise.policy.StrategyPolicy;
import dev.reprise.policy.preview.SchedulePreview.Row;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds delays after which whatever failed together comes back together. */
public final class JitterRules {
  private final StrategyPolicy policy;
  private final boolean ofThrottles;
  private final List<Row> rows;
  private final Row last;
  private final String herd;

  private JitterRules(
      StrategyPolicy policy, boolean ofThrottles, List<Row> rows, @Nullable Integer devices) {
    this.policy = policy;
    this.ofThrottles = ofThrottles;
    this.rows = rows;
    last = rows.get(rows.size() - 1);
    herd = devices == null ? "" : ", for " + AmountText.count(devices) + " devices";
  }

  /**
   * Returns the findings on the delays after failures, or on those after throttles.
   *
   * @param rows these delays, at least one row
   * @param devices how many keep the policy, or null when that is not known
   */
  public static List<Finding> of(
      StrategyPolicy policy, boolean ofThrottles, List<Row> rows, @Nullable Integer devices) {
    JitterRules rules = new JitterRules(policy, ofThrottles, rows, devices);
    List<Finding> findings = new ArrayList<>();
    Finding fault = rules.fault();
    if (fault == null && rules.last.delay().isNarrow()) {
      fault = rules.narrow();
    }
    if (fault != null) {
      findings.add(fault);
    }
    DelaySpan first = rows.get(0).delay();
    // One finding for all retries says more than two for some of them; and devices lose their
    // connections together, and then it is no refusal that they answer to.
    boolean saysAll = !rules.isJittered() || (rows.size() == 1 && first.isNarrow());
    if (!saysAll && !ofThrottles && first.isInStep()) {
      boolean warns = first.isNarrow() || devices != null;
      findings.add(rules.inStep(first, warns ? Severity.WARNING : Severity.NOTE));
    }
    return findings;
  }

  /** Returns what is wrong wherever the policy is used, or null. */
  private @Nullable Finding fault() {
    // Nothing to draw jitter from.
    if (last.cumulative().highest().isZero()) {
      return finding(
          "no-delay",
          isEndless() ? Severity.ERROR : Severity.WARNING,
          "No retry of " + field() + " waits: a service that is down gets all of them at once.",
          "delays of retries 1 to "
              + (last.isEndless() ? "..." : last.lastRetry())
              + " = 0 s in all",
          1);
    }
    if (!isJittered()) {
      return finding(
          "no-jitter",
          Severity.WARNING,
          "No delay of " + field() + " varies: devices that fail together return together.",
          "longest - shortest delay = " + difference(last.delay()) + herd,
          last.firstRetry());
    }
    double share = shareOfLongest(last.firstRetry());
    if (share <= 0.5) {
      return null;
    }
    return finding(
        "jitter-lost-at-cap",
        Severity.WARNING,
        "From retry "
            + last.firstRetry()
            + " on "
            + field()
            + " waits exactly "
            + AmountText.seconds(last.delay().highest())
            + ", the jitter of earlier retries gone: devices stay in step for ever.",
        last.delay().isJittered()
            ? "share of delays that are the cap itself = " + AmountText.percent(share)
            : "longest - shortest delay at the cap = " + difference(last.delay()) + herd,
        last.firstRetry());
  }

  private Finding narrow() {
    DelaySpan delay = last.delay();
    return finding(
        "jitter-narrow",
        Severity.WARNING,
        "From retry "
            + last.firstRetry()
            + " on "
            + field()
            + " varies by "
            + AmountText.seconds(delay.width())
            + " around "
            + AmountText.seconds(delay.expected())
            + ": too little to break up a herd.",
        "longest - shortest delay = "
            + difference(delay)
            + " < mean / 4 = "
            + AmountText.seconds(delay.expected().dividedBy(4)),
        last.firstRetry());
  }

  private Finding inStep(DelaySpan first, Severity severity) {
    return new Finding(
        "first-retry-in-step",
        severity,
        "After the loss of a connection all devices make their first retry "
            + (first.isJittered()
                ? "within " + AmountText.seconds(first.width())
                : "at the same moment")
            + ": the service that returns meets them as one herd.",
        "longest - shortest delay of retry 1 = " + difference(first) + herd,
        Change.of(policy, false, JitterRepair::spreadStart));
  }

  private Finding finding(String rule, Severity severity, String problem, String proof, int retry) {
    return new Finding(
        rule,
        severity,
        problem,
        proof,
        Change.ofPart(policy, ofThrottles, retry, JitterRepair::spread));
  }

  private String field() {
    return ofThrottles ? "throttleBackoff" : "backoff";
  }

  private boolean isJittered() {
    return rows.stream().anyMatch(row -> row.delay().isJittered());
  }

  /**
   * Returns true if retries go on as fast as a client can while the service is down, which is never
   * right.
   */
  private boolean isEndless() {
    return policy.maxRetries() == Policy.UNLIMITED
        && policy.budget() instanceof BudgetPolicy.Unlimited;
  }

  /** Halves the draws until the one is found from which on all give the longest delay. */
  private double shareOfLongest(int retry) {
    Backoff backoff = ofThrottles ? policy.throttleBackoff() : policy.backoff();
    long longestNanos = backoff.range(retry).highestNanos();
    double share = 0;
    for (double part = 0.5; part > 0x1p-30; part /= 2) {
      long drawn = (long) ((1 - share - part) * 0x1p53) << 11;
      if (backoff.delayNanos(retry, () -> drawn) == longestNanos) {
        share += part;
      }
    }
    return share;
  }

  private static String difference(DelaySpan delay) {
    return AmountText.seconds(delay.highest())
        + " - "
        + AmountText.seconds(delay.lowest())
        + " = "
        + AmountText.seconds(delay.width());
  }
}
