package dev.reprise.policy;

import dev.reprise.core.BackoffFunction;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The retry policies that have a name: those of seed 004 for each kind of endpoint, and {@code
 * no-retry}.
 */
public final class Presets {
  private static final Map<String, HealthyRetryPolicy> BY_NAME = new LinkedHashMap<>();

  static {
    BY_NAME.put("notification-http", HealthyRetryPolicy.DEFAULT);
    BY_NAME.put("notification-sms", policy(50, 0, 2, 38, 1, 600, BackoffFunction.EXPONENTIAL));
    BY_NAME.put("notification-email", policy(102, 1, 1, 90, 10, 300, BackoffFunction.LINEAR));
    BY_NAME.put(
        "notification-queue", policy(100_010, 10, 100_000, 0, 20, 20, BackoffFunction.LINEAR));
    BY_NAME.put(
        "notification-function", policy(50, 0, 2, 38, 1, 1200, BackoffFunction.EXPONENTIAL));
    BY_NAME.put("no-retry", policy(0, 0, 0, 0, 20, 20, BackoffFunction.LINEAR));
  }

  private Presets() {}

  /** Returns the names of all presets. */
  public static List<String> names() {
    return List.copyOf(BY_NAME.keySet());
  }

  /**
   * Returns the preset of this name.
   *
   * @throws PolicyException when there is none; it lists the names that there are
   */
  public static HealthyRetryPolicy get(String name) {
    HealthyRetryPolicy policy = BY_NAME.get(name);
    if (policy == null) {
      throw new PolicyException("preset", Quoted.text(name), unknownNameRule());
    }
    return policy;
  }

  static boolean contains(String name) {
    return BY_NAME.containsKey(name);
  }

  static String unknownNameRule() {
    return "must be one of " + String.join(", ", BY_NAME.keySet());
  }

  static Optional<String> nameOf(HealthyRetryPolicy policy) {
    return BY_NAME.entrySet().stream()
        .filter(preset -> preset.getValue().equals(policy))
        .map(Map.Entry::getKey)
        .findFirst();
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
