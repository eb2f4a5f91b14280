package dev.reprise.policy;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.backoff.BackoffFunction;
import dev.reprise.core.strategy.StandardProfile;
import dev.reprise.policy.document.Quoted;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The policies that have a name: documented ones of other systems, those of Amazon SNS for each
 * kind of endpoint, and our own.
 */
public final class Presets {
  /** The policy whose values hold for fields that a general document leaves out. */
  static final StrategyPolicy DEFAULT = standard(StandardProfile.REPRISE_DEFAULT);

  static final BudgetPolicy.TokenBucket DEFAULT_BUDGET = bucket(StandardProfile.REPRISE_DEFAULT);

  private static final Map<String, HealthyRetryPolicy> OF_NOTIFICATIONS = new LinkedHashMap<>();
  private static final Map<String, Policy> BY_NAME = new LinkedHashMap<>();

  static {
    BY_NAME.put("reprise-default", DEFAULT);
    BY_NAME.put("aws-standard", standard(StandardProfile.AWS_STANDARD_2_1));
    BY_NAME.put("smithy-guide", standard(StandardProfile.SMITHY_GUIDE));
    BY_NAME.put("azure-iot", device(Backoff.exponentialWithJitter()));
    BY_NAME.put("iot-core-32s", device(Backoff.truncatedExponential(Duration.ofSeconds(32))));
    BY_NAME.put("iot-core-64s", device(Backoff.truncatedExponential(Duration.ofSeconds(64))));

    notification("notification-http", HealthyRetryPolicy.DEFAULT);
    notification("notification-sms", policy(50, 0, 2, 38, 1, 600, BackoffFunction.EXPONENTIAL));
    notification("notification-email", policy(102, 1, 1, 90, 10, 300, BackoffFunction.LINEAR));
    notification(
        "notification-queue", policy(100_010, 10, 100_000, 0, 20, 20, BackoffFunction.LINEAR));
    notification(
        "notification-function", policy(50, 0, 2, 38, 1, 1200, BackoffFunction.EXPONENTIAL));
    notification("no-retry", policy(0, 0, 0, 0, 20, 20, BackoffFunction.LINEAR));
  }

  private Presets() {}

  /** Returns the names of all presets. */
  public static List<String> names() {
    return List.copyOf(BY_NAME.keySet());
  }

  /** Returns the names of those that topics and subscriptions accept. */
  public static List<String> notificationNames() {
    return List.copyOf(OF_NOTIFICATIONS.keySet());
  }

  /**
   * Returns the preset of this name.
   *
   * @throws PolicyException when there is none; it lists the names that there are
   */
  public static Policy policy(String name) {
    Policy policy = BY_NAME.get(name);
    if (policy == null) {
      throw new PolicyException("preset", Quoted.text(name), unknownNameRule());
    }
    return policy;
  }

  /**
   * Returns the preset of this name that topics and subscriptions accept.
   *
   * @throws PolicyException when there is none; it lists the names that there are
   */
  public static HealthyRetryPolicy get(String name) {
    HealthyRetryPolicy policy = OF_NOTIFICATIONS.get(name);
    if (policy == null) {
      throw new PolicyException("preset", Quoted.text(name), unknownNotificationRule());
    }
    return policy;
  }

  static String unknownNameRule() {
    return "must be one of " + String.join(", ", BY_NAME.keySet());
  }

  static String unknownNotificationRule() {
    return "must be one of " + String.join(", ", OF_NOTIFICATIONS.keySet());
  }

  static Optional<String> nameOf(HealthyRetryPolicy policy) {
    return OF_NOTIFICATIONS.entrySet().stream()
        .filter(preset -> preset.getValue().equals(policy))
        .map(Map.Entry::getKey)
        .findFirst();
  }

  private static void notification(String name, HealthyRetryPolicy policy) {
    OF_NOTIFICATIONS.put(name, policy);
    BY_NAME.put(name, NotificationPolicy.of(policy));
  }

  private static StrategyPolicy standard(StandardProfile profile) {
    return new StrategyPolicy(
        StrategyKind.STANDARD,
        profile.maxAttempts(),
        Backoff.exponential(profile.baseDelay(), profile.maxDelay()).withFullJitter(),
        Backoff.exponential(profile.throttleBaseDelay(), profile.maxDelay()).withFullJitter(),
        bucket(profile),
        profile.hintCeiling(),
        profile.clampsHints(),
        profile.delaysLongPolls(),
        CallSettings.NONE);
  }

  private static BudgetPolicy.TokenBucket bucket(StandardProfile profile) {
    return new BudgetPolicy.TokenBucket(
        profile.capacityTokens(), profile.prices(), 0, BudgetPolicy.DEFAULT_MAX_SCOPES);
  }

  /** A device tries for ever: what was documented has neither a number of attempts nor a budget. */
  private static StrategyPolicy device(Backoff backoff) {
    return new StrategyPolicy(
        StrategyKind.STANDARD,
        Policy.UNLIMITED,
        backoff,
        backoff,
        new BudgetPolicy.Unlimited(),
        HealthyRetryPolicy.HINT_CEILING,
        false,
        false,
        CallSettings.NONE);
  }

  private static HealthyRetryPolicy policy(
      int total,
      int noDelay,
      int min,
      int max,
      int minSeconds,
      int maxSeconds,
      BackoffFunction function) {
    return new HealthyRetryPolicy(
        total,
        noDelay,
        Duration.ofSeconds(minSeconds),
        Duration.ofSeconds(maxSeconds),
        min,
        max,
        function);
  }
}
