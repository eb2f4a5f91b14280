package dev.reprise.lab.lint;

import dev.reprise.common.text.AmountText;
import dev.reprise.lab.kernel.DeviceBudget;
import dev.reprise.lab.kernel.Seconds;
import dev.reprise.policy.BudgetPolicy;
import dev.reprise.policy.Policy;
import dev.reprise.policy.Presets;
import dev.reprise.policy.StrategyPolicy;
import dev.reprise.policy.preview.DelaySpan;
import dev.reprise.policy.preview.Finding;
import dev.reprise.policy.preview.SchedulePreview.Row;
import dev.reprise.policy.preview.Severity;
import java.time.Duration;
import java.util.List;

/** Finds budgets that do not bound the load on the service. */
final class BudgetLint {
  private BudgetLint() {}

  static void addFindings(Subject subject, List<Finding> findings) {
    if (subject.policy().budget() instanceof BudgetPolicy.Unlimited) {
      addMissing(subject, findings);
    } else {
      addMeaningless(subject, findings);
    }
  }

  /** A device has one connection to retry; only many calls at a time multiply. */
  private static void addMissing(Subject subject, List<Finding> findings) {
    if (subject.situation().devices() != null || subject.isUnlimited()) {
      return;
    }
    StrategyPolicy policy = subject.policy();
    int retries = policy.maxRetries();
    findings.add(
        new Finding(
            "no-budget",
            Severity.NOTE,
            "Nothing bounds the retries of all calls together: a service that fails gets "
                + AmountText.count(1.0 + retries)
                + " times its load, and may not come back by itself.",
            "1/(1 + retries) = 1/(1 + "
                + retries
                + "): metastable from "
                + AmountText.percent(1 / (1.0 + retries))
                + " of the capacity on",
            subject.changeTo(
                policy.withBudget(Presets.policy("reprise-default").toStrategyPolicy().budget()))));
  }

  private static void addMeaningless(Subject subject, List<Finding> findings) {
    Integer devices = subject.situation().devices();
    // Many calls of one process empty a bucket that one device never does.
    if (devices == null) {
      return;
    }
    StrategyPolicy policy = subject.policy();
    BudgetPolicy budget = policy.budget();
    Duration outage = subject.situation().outage();
    int retries = outage == null ? policy.maxRetries() : retriesWithin(subject, outage);
    int paid = DeviceBudget.paidRetries(budget);
    boolean isEnough = paid >= retries && retries != Policy.UNLIMITED;
    if (!isEnough && !fillsFasterThanUsed(subject)) {
      return;
    }
    String scopes =
        budget.maxScopes() == 0
            ? ""
            : ", and each of " + AmountText.count(budget.maxScopes()) + " scopes has a budget more";
    findings.add(
        new Finding(
            "budget-means-nothing",
            Severity.WARNING,
            "Each of %s devices has a budget of its own that starts full%s: it never denies a retry,"
                    .formatted(AmountText.count(devices), scopes)
                + " so it protects nobody.",
            isEnough
                ? "a full budget pays %s retries >= %s that a device makes %s"
                    .formatted(
                        AmountText.count(paid),
                        AmountText.count(retries),
                        outage == null ? "at most" : "in " + AmountText.seconds(outage))
                : "time pays a retry every %s, and the mean delay is %s"
                    .formatted(
                        AmountText.seconds(1 / DeviceBudget.retriesPerSecond(budget)),
                        AmountText.seconds(meanSeconds(subject))),
            subject.changeTo(policy.withBudget(new BudgetPolicy.Unlimited()))));
  }

  private static boolean fillsFasterThanUsed(Subject subject) {
    double perSecond = DeviceBudget.retriesPerSecond(subject.policy().budget());
    return perSecond > 0 && perSecond * meanSeconds(subject) >= 1;
  }

  private static double meanSeconds(Subject subject) {
    List<Row> rows = subject.rows();
    return Seconds.of(rows.get(rows.size() - 1).delay().expected());
  }

  /** Returns the retries that a device makes on average, or all that it is allowed. */
  private static int retriesWithin(Subject subject, Duration outage) {
    double seconds = Seconds.of(outage);
    for (Row row : subject.rows()) {
      double before = EndRules.seconds(subject.rows(), row.firstRetry() - 1, DelaySpan::expected);
      double mean = Seconds.of(row.delay().expected());
      double times = mean == 0 ? Double.MAX_VALUE : Math.ceil((seconds - before) / mean);
      if (times <= (double) row.lastRetry() - row.firstRetry() + 1) {
        return (int) (row.firstRetry() - 1 + Math.max(times, 0));
      }
    }
    return subject.policy().maxRetries();
  }
}
