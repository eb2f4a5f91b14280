package dev.reprise.lab.lint;

import dev.reprise.common.text.AmountText;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.lab.kernel.DelayLaw;
import dev.reprise.policy.BudgetPolicy;
import dev.reprise.policy.preview.SchedulePreview.Row;
import java.util.List;

/** Finds policies whose clients fail together and come back together. */
final class JitterRules {
  /** Two clients whose delays differ by less than a quarter of them stay near to each other. */
  private static final double MIN_SPAN = 0.25;

  /** In so short a time even clients notice the loss that were not in step. */
  private static final double SAME_MOMENT_SECONDS = 0.1;

  private JitterRules() {}

  static void addFindings(Subject subject, List<Finding> findings) {
    addOf(subject, false, subject.policy().backoff(), subject.rows(), findings);
    if (subject.tellsThrottlesApart()) {
      addOf(subject, true, subject.policy().throttleBackoff(), subject.throttleRows(), findings);
    }
  }

  private static void addOf(
      Subject subject,
      boolean ofThrottles,
      Backoff backoff,
      List<Row> rows,
      List<Finding> findings) {
    Row last = rows.get(rows.size() - 1);
    String field = ofThrottles ? "throttleBackoff" : "backoff";

    // Nothing to draw jitter from.
    if (last.cumulative().highest().isZero()) {
      findings.add(
          new Finding(
              "no-delay",
              isEndless(subject) ? Severity.ERROR : Severity.WARNING,
              "No retry of " + field + " waits: a service that is down gets all of them at once.",
              "delays of retries 1 to "
                  + (last.isEndless() ? "..." : last.lastRetry())
                  + " = 0 s in all",
              subject.change(ofThrottles, 1, BackoffRepair::spread)));
      return;
    }

    // One finding for all retries says more than two for some of them.
    if (rows.stream().noneMatch(row -> row.delay().isJittered())) {
      findings.add(
          new Finding(
              "no-jitter",
              Severity.WARNING,
              "No delay of " + field + " varies: devices that fail together return together.",
              "longest - shortest delay = "
                  + span(DelayLaw.of(backoff, last.firstRetry()))
                  + herd(subject),
              subject.change(ofThrottles, last.firstRetry(), BackoffRepair::spread)));
      return;
    }
    addAtEnd(subject, ofThrottles, field, backoff, last, findings);
    // Devices lose their connections together, and then it is no refusal that they answer to.
    if (!ofThrottles && !(rows.size() == 1 && isNarrow(DelayLaw.of(backoff, 1)))) {
      addAtStart(subject, backoff, findings);
    }
  }

  /**
   * Returns true if retries go on as fast as a device can while the service is down, which is never
   * right.
   */
  private static boolean isEndless(Subject subject) {
    return subject.isUnlimited() && subject.policy().budget() instanceof BudgetPolicy.Unlimited;
  }

  private static void addAtEnd(
      Subject subject,
      boolean ofThrottles,
      String field,
      Backoff backoff,
      Row last,
      List<Finding> findings) {
    int retry = last.firstRetry();
    DelayLaw law = DelayLaw.of(backoff, retry);
    String fromRetry = "From retry " + retry + " on " + field + " ";
    if (law.shareOfHighest() > 0.5) {
      findings.add(
          new Finding(
              "jitter-lost-at-cap",
              Severity.WARNING,
              fromRetry
                  + "waits exactly "
                  + AmountText.seconds(law.highestSeconds())
                  + ", the jitter of earlier retries gone: devices stay in step for ever.",
              law.shareOfHighest() == 1
                  ? "longest - shortest delay at the cap = " + span(law) + herd(subject)
                  : "share of delays that are the cap itself = "
                      + AmountText.percent(law.shareOfHighest())
                      + "",
              subject.change(ofThrottles, retry, BackoffRepair::spread)));
    } else if (isNarrow(law)) {
      findings.add(
          new Finding(
              "jitter-narrow",
              Severity.WARNING,
              fromRetry
                  + "varies by "
                  + AmountText.seconds(spanSeconds(law))
                  + " around "
                  + AmountText.seconds(law.meanSeconds())
                  + ": too little to break up a herd.",
              "longest - shortest delay = "
                  + span(law)
                  + " < mean / 4 = "
                  + AmountText.seconds(law.meanSeconds() * MIN_SPAN),
              subject.change(ofThrottles, retry, BackoffRepair::spread)));
    }
  }

  private static void addAtStart(Subject subject, Backoff backoff, List<Finding> findings) {
    DelayLaw law = DelayLaw.of(backoff, 1);
    if (!isInStep(law)) {
      return;
    }
    findings.add(
        new Finding(
            "first-retry-in-step",
            isNarrow(law) || subject.situation().devices() != null
                ? Severity.WARNING
                : Severity.NOTE,
            "After the loss of a connection all devices make their first retry "
                + (spanSeconds(law) == 0
                    ? "at the same moment"
                    : "within " + AmountText.seconds(spanSeconds(law)))
                + ": the service that returns meets them as one herd.",
            "longest - shortest delay of retry 1 = " + span(law) + herd(subject),
            subject.change(BackoffRepair::spreadStart)));
  }

  /** Returns true when devices that fail together make this retry together. */
  static boolean isInStep(DelayLaw law) {
    return isNarrow(law) || spanSeconds(law) < SAME_MOMENT_SECONDS - 1e-8;
  }

  static boolean isNarrow(DelayLaw law) {
    return spanSeconds(law) == 0 || spanSeconds(law) < MIN_SPAN * law.meanSeconds();
  }

  private static double spanSeconds(DelayLaw law) {
    return law.highestSeconds() - law.lowestSeconds();
  }

  private static String span(DelayLaw law) {
    return AmountText.seconds(law.highestSeconds())
        + " - "
        + AmountText.seconds(law.lowestSeconds())
        + " = "
        + AmountText.seconds(spanSeconds(law));
  }

  private static String herd(Subject subject) {
    Integer devices = subject.situation().devices();
    return devices == null ? "" : ", for " + AmountText.count(devices) + " devices";
  }
}
