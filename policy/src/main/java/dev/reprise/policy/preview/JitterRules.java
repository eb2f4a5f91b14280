package dev.reprise.policy.preview;

import dev.reprise.common.text.AmountText;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.policy.BudgetPolicy;
import dev.reprise.policy.Policy;
import dev.reprise.policy.StrategyPolicy;
import dev.reprise.policy.preview.SchedulePreview.Row;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds delays after which whatever failed together comes back together. The rules need the policy
 * alone. Some find faults wherever it is used, and the preview warns of these; the others, for a
 * linter, are about a fleet of devices.
 */
public final class JitterRules {
  private final StrategyPolicy policy;
  private final boolean ofThrottles;
  private final List<Row> rows;
  private final Row last;
  private final String herd;

  private JitterRules(
      Policy policy, boolean ofThrottles, List<Row> rows, @Nullable Integer devices) {
    this.policy = policy.toStrategyPolicy();
    this.ofThrottles = ofThrottles;
    this.rows = rows;
    last = rows.get(rows.size() - 1);
    herd = devices == null ? "" : ", for " + AmountText.count(devices) + " devices";
  }

  /** Adds the fault of these delays as a sentence, and its remedy where the format has a field. */
  static void addWarning(
      Policy policy, boolean ofThrottles, List<Row> rows, List<String> warnings) {
    Finding fault = new JitterRules(policy, ofThrottles, rows, null).fault();
    if (fault != null) {
      Change change = fault.change();
      boolean hasField = policy instanceof StrategyPolicy && !change.field().isEmpty();
      warnings.add(
          fault.problem()
              + (hasField ? " Change " + change.field() + " to " + change.value() + "." : ""));
    }
  }

  /**
   * Adds the findings on the delays after failures, or on those after throttles.
   *
   * @param rows these delays, at least one row
   * @param devices how many keep the policy, or null when that is not known
   */
  public static void addFindings(
      StrategyPolicy policy,
      boolean ofThrottles,
      List<Row> rows,
      @Nullable Integer devices,
      List<Finding> findings) {
    JitterRules rules = new JitterRules(policy, ofThrottles, rows, devices);
    Finding fault = rules.fault();
    if (fault != null) {
      findings.add(fault);
    } else if (rules.last.delay().isNarrow()) {
      findings.add(rules.narrow());
    }
    DelaySpan first = rows.get(0).delay();
    // One finding for all retries says more than two for some of them; and devices lose their
    // connections together, and then it is no refusal that they answer to.
    boolean isSaid = !rules.isJittered() || (rows.size() == 1 && first.isNarrow());
    if (!isSaid && !ofThrottles && first.isInStep()) {
      boolean warns = first.isNarrow() || devices != null;
      findings.add(rules.inStep(first, warns ? Severity.WARNING : Severity.NOTE));
    }
  }

  /** Returns what is wrong wherever the policy is used, or null. */
  private @Nullable Finding fault() {
    String where = ofThrottles ? " after a throttle" : "";
    // Nothing to draw jitter from.
    if (last.cumulative().highest().isZero()) {
      return finding(
          "no-delay",
          isEndless() ? Severity.ERROR : Severity.WARNING,
          "No delay before any retry" + where + ": whatever is down gets all of them at once.",
          "delays of retries 1 to %s = 0 s in all"
              .formatted(last.isEndless() ? "..." : last.lastRetry()),
          1);
    }
    if (!isJittered()) {
      return finding(
          "no-jitter",
          Severity.WARNING,
          "No jitter" + where + ": whatever fails together is retried together.",
          "longest - shortest delay = " + difference(last.delay()) + herd,
          last.firstRetry());
    }
    // Of retries that have one range, ever more delays may be cut off at its end.
    if (shareOfLongest(last.lastRetry()) <= 0.5) {
      return null;
    }
    int retry = last.firstRetry();
    while (shareOfLongest(retry) <= 0.5) {
      retry++;
    }
    String share = AmountText.percent(shareOfLongest(retry));
    boolean isAll = !last.delay().isJittered();
    return finding(
        "jitter-lost-at-cap",
        Severity.WARNING,
        "Jitter%s is lost from retry %s on: %s exactly %s, so %swhat fails together stays together."
            .formatted(
                where,
                retry,
                isAll ? "every delay is" : "at least " + share + " of delays are",
                AmountText.plain(last.delay().highest()),
                isAll ? "" : "most of "),
        isAll
            ? "longest - shortest delay at the cap = " + difference(last.delay()) + herd
            : "share of delays that are the cap itself = " + share,
        retry);
  }

  private Finding narrow() {
    DelaySpan delay = last.delay();
    return finding(
        "jitter-narrow",
        Severity.WARNING,
        "From retry %s on %s varies by %s around %s: too little to break up a herd."
            .formatted(
                last.firstRetry(),
                ofThrottles ? "throttleBackoff" : "backoff",
                AmountText.seconds(delay.width()),
                AmountText.seconds(delay.expected())),
        "longest - shortest delay = %s < mean / 4 = %s"
            .formatted(difference(delay), AmountText.seconds(delay.expected().dividedBy(4))),
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

  /** Returns a finding whose remedy is to spread the delays of the part that has the retry. */
  private Finding finding(String rule, Severity severity, String problem, String proof, int retry) {
    Change change = Change.ofPart(policy, ofThrottles, retry, JitterRepair::spread);
    return new Finding(rule, severity, problem, proof, change);
  }

  private boolean isJittered() {
    return rows.stream().anyMatch(row -> row.delay().isJittered());
  }

  /** Retries that go on as fast as a client can while the service is down are never right. */
  private boolean isEndless() {
    return policy.maxRetries() == Policy.UNLIMITED
        && policy.budget() instanceof BudgetPolicy.Unlimited;
  }

  /** Searches for the first draw that gives the longest delay: the larger, the longer. */
  private double shareOfLongest(int retry) {
    Backoff backoff = ofThrottles ? policy.throttleBackoff() : policy.backoff();
    long longestNanos = backoff.range(retry).highestNanos();
    double share = 0;
    for (double part = 0.5; part > 0x1p-30; part /= 2) {
      long drawn = (long) ((1 - share - part) * 0x1p53) << 11;
      share += backoff.delayNanos(retry, () -> drawn) == longestNanos ? part : 0;
    }
    return share;
  }

  private static String difference(DelaySpan delay) {
    return "%s - %s = %s"
        .formatted(
            AmountText.seconds(delay.highest()),
            AmountText.seconds(delay.lowest()),
            AmountText.seconds(delay.width()));
  }
}
