package dev.reprise.lab.lint;

import dev.reprise.common.text.AmountText;
import dev.reprise.lab.kernel.DeviceBudget;
import dev.reprise.lab.kernel.Seconds;
import dev.reprise.policy.BudgetPolicy;
import dev.reprise.policy.CallSettings;
import dev.reprise.policy.Policy;
import dev.reprise.policy.StrategyKind;
import dev.reprise.policy.StrategyPolicy;
import dev.reprise.policy.preview.Change;
import dev.reprise.policy.preview.DelaySpan;
import dev.reprise.policy.preview.Finding;
import dev.reprise.policy.preview.SchedulePreview.Row;
import dev.reprise.policy.preview.Severity;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Finds policies whose devices give up before the service is back. */
final class EndRules {
  /** An outage that is longer than this has more to mend than retries. */
  private static final double LONG_OUTAGE_SECONDS = 24 * 3600;

  private EndRules() {}

  static void addFindings(Subject subject, List<Finding> findings) {
    Double neededSeconds = neededSeconds(subject.situation());
    addAttempts(subject, neededSeconds, findings);
    addBudget(subject, neededSeconds, findings);
    addDeadline(subject, neededSeconds, findings);
    addHints(subject, findings);
  }

  /** Returns the findings on a policy without retries: none, as long as no outage is expected. */
  static List<Finding> ofOneAttempt(
      StrategyPolicy policy, Situation situation, @Nullable SimulatedFleet simulated) {
    if (situation.devices() == null || situation.outage() == null || situation.outage().isZero()) {
      return List.of();
    }
    return List.of(
        new Finding(
            "attempts-limit-strands",
            severity(simulated),
            "A device gives up after its only attempt: "
                + (simulated == null ? "all of them are stranded" : simulated.sentence())
                + ".",
            "time until it gives up = 0 s < outage = " + AmountText.seconds(situation.outage()),
            retrying(policy)));
  }

  /** Returns the change that makes a policy of one attempt retry. */
  static Change retrying(StrategyPolicy policy) {
    return policy.strategy() == StrategyKind.NONE
        ? new Change("strategy", "\"standard\"")
        : new Change("maxAttempts", "\"unlimited\"");
  }

  /** Returns whether a device goes on long enough to be part of the herd until it is served. */
  static boolean lasts(Subject subject) {
    Double needed = neededSeconds(subject.situation());
    return subject.isUnlimited()
        || seconds(subject.rows(), subject.policy().maxRetries(), DelaySpan::expected)
            >= (needed == null ? LONG_OUTAGE_SECONDS : needed);
  }

  /** The outage, and then the time until the last of them has been served. */
  private static @Nullable Double neededSeconds(Situation situation) {
    if (situation.outage() == null) {
      return null;
    }
    Double floorSeconds = situation.floorSeconds();
    return Seconds.of(situation.outage()) + (floorSeconds == null ? 0 : floorSeconds);
  }

  private static void addAttempts(
      Subject subject, @Nullable Double neededSeconds, List<Finding> findings) {
    if (subject.isUnlimited()) {
      return;
    }
    StrategyPolicy policy = subject.policy();
    int retries = policy.maxRetries();
    addEnd(
        subject,
        retries,
        neededSeconds,
        "attempts-limit-strands",
        "A device gives up after " + AmountText.count(1.0 + retries) + " attempts",
        subject.changeTo(policy.withMaxAttempts(Policy.UNLIMITED)),
        findings);
  }

  private static void addBudget(
      Subject subject, @Nullable Double neededSeconds, List<Finding> findings) {
    int paid = DeviceBudget.paidRetries(subject.policy().budget());
    boolean isFilled = DeviceBudget.retriesPerSecond(subject.policy().budget()) > 0;
    // Callers share a budget with those whose calls succeed; a device without a connection has
    // nothing that succeeds.
    if (subject.situation().devices() == null
        || isFilled
        || paid >= subject.policy().maxRetries()) {
      return;
    }
    StrategyPolicy policy = subject.policy();
    addEnd(
        subject,
        paid,
        neededSeconds,
        "budget-strands",
        "The budget of a device pays for "
            + AmountText.count(paid)
            + " retries, and then it gives up",
        subject.changeTo(policy.withBudget(new BudgetPolicy.Unlimited())),
        findings);
  }

  private static void addEnd(
      Subject subject,
      int retries,
      @Nullable Double neededSeconds,
      String rule,
      String givesUp,
      Change change,
      List<Finding> findings) {
    double averageSeconds = seconds(subject.rows(), retries, DelaySpan::expected);
    double longestSeconds = seconds(subject.rows(), retries, DelaySpan::highest);
    double lastsSeconds = neededSeconds == null ? LONG_OUTAGE_SECONDS : neededSeconds;
    if (averageSeconds >= lastsSeconds) {
      return;
    }
    String all =
        "sum of E[delay] of retries 1 to %s = %s, at most %s"
            .formatted(
                retries, AmountText.seconds(averageSeconds), AmountText.seconds(longestSeconds));
    findings.add(
        new Finding(
            rule,
            neededSeconds == null ? Severity.NOTE : severity(subject.simulated()),
            "%s, %s after the first on average and %s at most: %s"
                .formatted(
                    givesUp,
                    AmountText.seconds(averageSeconds),
                    AmountText.seconds(longestSeconds),
                    neededSeconds == null
                        ? "whoever meets a longer outage is stranded."
                        : stranded(subject, longestSeconds, "of them")),
            neededSeconds == null ? all : all + lessThan(subject, neededSeconds),
            change));
  }

  /** Those that need longer on average may all be back before. */
  private static Severity severity(@Nullable SimulatedFleet simulated) {
    return simulated != null && simulated.allBack() ? Severity.WARNING : Severity.ERROR;
  }

  private static String stranded(Subject subject, double longestSeconds, String whom) {
    SimulatedFleet simulated = subject.simulated();
    return simulated == null
        ? stranded(subject.situation(), longestSeconds) + " " + whom + " are stranded."
        : simulated.sentence() + ".";
  }

  /** Returns how many are stranded of those that go on for so long at most. */
  private static String stranded(Situation situation, double longestSeconds) {
    double outageSeconds = Seconds.of(Objects.requireNonNull(situation.outage()));
    // No device reaches the service again.
    if (longestSeconds < outageSeconds) {
      return "all";
    }
    Double capacity = situation.capacityPerSecond();
    Integer devices = situation.devices();
    // Devices that reach it again are accepted, as far as is known.
    if (devices == null || capacity == null) {
      return "some";
    }
    // The service accepts no more than C a second until the last of them gives up.
    double left = devices - (longestSeconds - outageSeconds) * capacity;
    return left < 1
        ? "some"
        : "at least " + AmountText.count(left) + " (" + AmountText.percent(left / devices) + ")";
  }

  private static String lessThan(Subject subject, double neededSeconds) {
    String floor = subject.situation().floorSeconds() == null ? "" : " + N/C";
    return " < outage" + floor + " = " + AmountText.seconds(neededSeconds);
  }

  private static void addDeadline(
      Subject subject, @Nullable Double neededSeconds, List<Finding> findings) {
    CallSettings calls = subject.policy().calls();
    Duration deadline = calls.deadline();
    // A deadline is what a caller wants; only a device has to outlast everything.
    if (deadline == null
        || subject.situation().devices() == null
        || neededSeconds == null
        || Seconds.of(deadline) >= neededSeconds) {
      return;
    }
    Duration longer = Duration.ofSeconds((long) Math.ceil(2 * neededSeconds));
    findings.add(
        new Finding(
            "deadline-strands",
            severity(subject.simulated()),
            "The deadline ends all retries after "
                + AmountText.seconds(deadline)
                + ": "
                + stranded(subject, Seconds.of(deadline), "of the devices"),
            "deadline = " + AmountText.seconds(deadline) + lessThan(subject, neededSeconds),
            subject.changeTo(
                subject
                    .policy()
                    .withCalls(
                        new CallSettings(
                            longer,
                            calls.attemptTimeout(),
                            calls.hedging(),
                            calls.idempotent())))));
  }

  /** A service that gives each device a slot asks the last one to come back after N/C. */
  private static void addHints(Subject subject, List<Finding> findings) {
    Double floorSeconds = subject.situation().floorSeconds();
    StrategyPolicy policy = subject.policy();
    if (floorSeconds == null || Seconds.of(policy.hintCeiling()) >= floorSeconds) {
      return;
    }
    long enoughSeconds = (long) Math.ceil(floorSeconds / 60) * 60;
    findings.add(
        new Finding(
            "hint-ceiling-below-floor",
            Severity.WARNING,
            "A hint of more than "
                + AmountText.seconds(policy.hintCeiling())
                + (policy.clampsHints()
                    ? " is cut short: devices come before the slots that the service gave them."
                    : " ends the retries: the service cannot spread all devices without stranding"
                        + " some."),
            "hintCeiling = "
                + AmountText.seconds(policy.hintCeiling())
                + " < N/C = "
                + AmountText.seconds(floorSeconds),
            subject.changeTo(
                policy.withHints(Duration.ofSeconds(enoughSeconds), policy.clampsHints()))));
  }

  /** Returns how long the first retries take together. */
  static double seconds(List<Row> rows, int retries, Function<DelaySpan, Duration> end) {
    double seconds = 0;
    for (Row row : rows) {
      if (row.firstRetry() > retries) {
        break;
      }
      double times = Math.min((double) row.lastRetry(), retries) - row.firstRetry() + 1;
      seconds += times * Seconds.of(end.apply(row.delay()));
    }
    return seconds;
  }
}
