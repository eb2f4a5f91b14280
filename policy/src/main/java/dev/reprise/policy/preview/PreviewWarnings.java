package dev.reprise.policy.preview;

import dev.reprise.common.text.AmountText;
import dev.reprise.core.backoff.BackoffFunction;
import dev.reprise.core.backoff.Stage;
import dev.reprise.policy.HealthyRetryPolicy;
import dev.reprise.policy.NotificationPolicy;
import dev.reprise.policy.ThrottlePolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Warns of settings that are allowed and that the author of a policy may not have meant. */
final class PreviewWarnings {
  private PreviewWarnings() {}

  static List<String> of(
      NotificationPolicy notification,
      List<SchedulePreview.Row> rows,
      @Nullable Duration lifetime) {
    HealthyRetryPolicy policy = notification.healthyRetryPolicyOrDefault();
    ThrottlePolicy throttle = notification.throttlePolicy();
    List<String> warnings = new ArrayList<>();
    warnOfFunction(policy, warnings);
    warnOfUnusedDelays(policy, warnings);
    JitterRules.addWarning(notification, false, rows, warnings);
    if (lifetime != null) {
      warnOfLifetime(policy, rows, lifetime, warnings);
    }
    if (throttle != null) {
      warnings.add(
          "maxReceivesPerSecond is "
              + throttle.maxReceivesPerSecond()
              + ": deliveries wait for their turn, which may make any delay longer.");
    }
    return warnings;
  }

  private static void warnOfFunction(HealthyRetryPolicy policy, List<String> warnings) {
    boolean chosen = policy.backoffFunction() != BackoffFunction.LINEAR;
    String function = policy.backoffFunction().wireName();
    boolean grows = policy.minDelayTarget().compareTo(policy.maxDelayTarget()) < 0;
    if (policy.numBackoffRetries() == 0 && (chosen || grows)) {
      warnings.add(
          "The backoff stage is never reached: the other stages use all "
              + policy.numRetries()
              + " retries, and "
              + function
              + " is not used.");
    } else if (policy.numBackoffRetries() == 1 && grows) {
      warnings.add(
          "The backoff stage has one retry: it waits minDelayTarget, "
              + AmountText.plain(policy.minDelayTarget())
              + ".");
    } else if (policy.numBackoffRetries() > 0 && chosen && !grows) {
      warnings.add(
          "minDelayTarget and maxDelayTarget are both "
              + AmountText.plain(policy.minDelayTarget())
              + ": "
              + function
              + " makes no difference.");
    }
  }

  private static void warnOfUnusedDelays(HealthyRetryPolicy policy, List<String> warnings) {
    boolean grows = policy.minDelayTarget().compareTo(policy.maxDelayTarget()) < 0;
    if (grows && policy.numMaxDelayRetries() == 0 && policy.numBackoffRetries() <= 1) {
      warnings.add(
          "maxDelayTarget, "
              + AmountText.plain(policy.maxDelayTarget())
              + ", is never reached: only the maximum delay stage and a backoff stage of two or"
              + " more retries use it.");
    }
    if (grows && policy.numMinDelayRetries() == 0 && policy.numBackoffRetries() == 0) {
      warnings.add(
          "minDelayTarget, "
              + AmountText.plain(policy.minDelayTarget())
              + ", is never used: there is neither a minimum delay stage nor a backoff stage.");
    }
  }

  private static void warnOfLifetime(
      HealthyRetryPolicy policy,
      List<SchedulePreview.Row> rows,
      Duration lifetime,
      List<String> warnings) {
    long retriesInTime = PreviewLifetimes.retriesWithin(rows, lifetime, DelaySpan::expected);
    if (retriesInTime < policy.numRetries()) {
      warnings.add(
          "The lifetime of "
              + AmountText.plain(lifetime)
              + " ends before the schedule: attempt "
              + (1 + retriesInTime)
              + " of "
              + (1L + policy.numRetries())
              + " is the last that can start in time."
              + unreached(rows, retriesInTime));
    }
  }

  /** Names the stages whose first retry comes too late. */
  private static String unreached(List<SchedulePreview.Row> rows, long retriesInTime) {
    List<String> stages = new ArrayList<>();
    Stage previous = null;
    for (SchedulePreview.Row row : rows) {
      Stage stage = row.stage();
      if (stage != null && stage != previous && row.firstRetry() > retriesInTime) {
        stages.add(stage.wireName());
      }
      previous = stage;
    }
    return stages.isEmpty() ? "" : " Never reached: " + String.join(", ", stages) + ".";
  }
}
