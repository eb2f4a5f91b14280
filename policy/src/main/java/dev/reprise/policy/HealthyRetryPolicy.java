package dev.reprise.policy;

import dev.reprise.core.backoff.BackoffFunction;
import dev.reprise.core.backoff.StagedBackoff;
import dev.reprise.core.strategy.RetryPolicy;
import dev.reprise.policy.document.DurationText;
import dev.reprise.policy.document.Violation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * The retry policy of failed deliveries, in the seven fields of the Amazon SNS documentation.
 *
 * <p>The backoff stage has no field of its own: it gets the retries that the other three stages
 * leave of {@code numRetries}. The ranges {@link #MAX_RETRIES} and {@link #MAX_DELAY} bind
 * documents that users write, not this type: two of the presets have more retries.
 *
 * @param numRetries retries of all stages together, at least the sum of the other three counts;
 *     attempts = 1 + retries
 * @param numNoDelayRetries retries of the immediate stage, at least 0
 * @param minDelayTarget the minimum delay, whole milliseconds, at least 0
 * @param maxDelayTarget the maximum delay, whole milliseconds, at least {@code minDelayTarget}
 * @param numMinDelayRetries retries of the minimum delay stage, at least 0
 * @param numMaxDelayRetries retries of the maximum delay stage, at least 0
 * @param backoffFunction how the delay grows in the backoff stage
 */
public record HealthyRetryPolicy(
    int numRetries,
    int numNoDelayRetries,
    Duration minDelayTarget,
    Duration maxDelayTarget,
    int numMinDelayRetries,
    int numMaxDelayRetries,
    BackoffFunction backoffFunction) {

  /** The most retries that a document may ask for, 100; presets are exempt. */
  public static final int MAX_RETRIES = 100;

  /** The longest delay that a document may ask for, one hour. */
  public static final Duration MAX_DELAY = Duration.ofHours(1);

  /** The longest wait that an endpoint may ask for with {@code Retry-After}, one day. */
  public static final Duration HINT_CEILING = Duration.ofHours(24);

  /** The values of fields that a document leaves out: three retries, 20 seconds apart. */
  public static final HealthyRetryPolicy DEFAULT =
      new HealthyRetryPolicy(
          3, 0, Duration.ofSeconds(20), Duration.ofSeconds(20), 0, 0, BackoffFunction.LINEAR);

  /**
   * Checks all rules but the ranges of documents; throws {@link PolicyException} naming each
   * broken.
   */
  public HealthyRetryPolicy {
    Objects.requireNonNull(backoffFunction, "backoffFunction");
    List<Violation> violations = new ArrayList<>();
    requireCount("numRetries", numRetries, violations);
    requireCount("numNoDelayRetries", numNoDelayRetries, violations);
    requireCount("numMinDelayRetries", numMinDelayRetries, violations);
    requireCount("numMaxDelayRetries", numMaxDelayRetries, violations);
    requireWholeMillis("minDelayTarget", minDelayTarget, violations);
    requireWholeMillis("maxDelayTarget", maxDelayTarget, violations);
    if (violations.isEmpty()) {
      String path = "healthyRetryPolicy";
      requireOrder(path, minDelayTarget, maxDelayTarget, Set.of(), violations);
      requireSum(
          path,
          numRetries,
          numNoDelayRetries,
          numMinDelayRetries,
          numMaxDelayRetries,
          Set.of(),
          violations);
    }
    if (!violations.isEmpty()) {
      throw new PolicyException(violations);
    }
  }

  /** Returns the retries of the backoff stage: those that the other stages leave. */
  public int numBackoffRetries() {
    return numRetries - numNoDelayRetries - numMinDelayRetries - numMaxDelayRetries;
  }

  /** Returns the delays of this policy. */
  public StagedBackoff toBackoff() {
    return new StagedBackoff(
        numNoDelayRetries,
        numMinDelayRetries,
        numBackoffRetries(),
        numMaxDelayRetries,
        minDelayTarget,
        maxDelayTarget,
        backoffFunction);
  }

  /** Returns the policy that decides after each failure, with {@link #HINT_CEILING}. */
  public RetryPolicy toRetryPolicy() {
    return new RetryPolicy(toBackoff(), numRetries, HINT_CEILING);
  }

  /** Returns true when users may write this policy field by field. */
  boolean isWithinDocumentRanges() {
    return numRetries <= MAX_RETRIES && maxDelayTarget.compareTo(MAX_DELAY) <= 0;
  }

  /**
   * Checks minimum against maximum.
   *
   * @param defaulted the fields that the document left out, so that a message can say so
   */
  static void requireOrder(
      String path, Duration min, Duration max, Set<String> defaulted, List<Violation> violations) {
    if (min.compareTo(max) <= 0) {
      return;
    }
    String minText = DurationText.write(min) + mark("minDelayTarget", defaulted);
    String maxText = DurationText.write(max) + mark("maxDelayTarget", defaulted);
    // The field that was written is the one to mend.
    violations.add(
        defaulted.contains("minDelayTarget")
            ? new Violation(
                path + ".maxDelayTarget",
                maxText,
                "must be at least minDelayTarget, which is " + minText)
            : new Violation(
                path + ".minDelayTarget",
                minText,
                "must be at most maxDelayTarget, which is " + maxText));
  }

  /**
   * Checks the total against its parts.
   *
   * @param defaulted the fields that the document left out, so that a message can say so
   */
  static void requireSum(
      String path,
      int total,
      int noDelay,
      int min,
      int max,
      Set<String> defaulted,
      List<Violation> violations) {
    long sum = (long) noDelay + min + max;
    if (total >= sum) {
      return;
    }
    violations.add(
        new Violation(
            path + ".numRetries",
            total + mark("numRetries", defaulted),
            "must be at least numNoDelayRetries + numMinDelayRetries + numMaxDelayRetries, which is"
                + " "
                + (noDelay + " + " + min + " + " + max + " = " + sum)));
  }

  private static String mark(String field, Set<String> defaulted) {
    return defaulted.contains(field) ? " (default)" : "";
  }

  private static void requireCount(String field, int count, List<Violation> violations) {
    if (count < 0) {
      violations.add(
          new Violation(
              "healthyRetryPolicy." + field, String.valueOf(count), "must be at least 0"));
    }
  }

  private static void requireWholeMillis(String field, Duration delay, List<Violation> violations) {
    String path = "healthyRetryPolicy." + field;
    if (delay.isNegative()) {
      violations.add(new Violation(path, delay.toString(), "must be at least 0"));
    } else if (delay.compareTo(Duration.ofNanos(Long.MAX_VALUE)) > 0) {
      violations.add(new Violation(path, delay.toString(), "must be at most 292 years"));
    } else if (delay.toNanosPart() % 1_000_000 != 0) {
      violations.add(
          new Violation(path, delay.toString(), "must be a whole number of milliseconds"));
    }
  }
}
