package dev.reprise.policy;

import dev.reprise.core.Stage;
import dev.reprise.core.StagedBackoff;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Every delay of a retry policy before it is used: when each retry comes, how long all take
 * together, and what may surprise.
 *
 * <p>Neighbouring retries of one stage with the same delay are one row, so that a policy of 100,010
 * retries is two rows. Delays run from the end of one attempt to the start of the next; the time
 * that the attempts take comes on top.
 *
 * @param name what the policy is called
 * @param policy the policy
 * @param rows the delays in order; empty when there are no retries
 * @param retries how many retries there are
 * @param attempts how many attempts there are: 1 + retries
 * @param totalDelayMillis all delays together; {@link Long#MAX_VALUE} when longer than that
 * @param warnings what may surprise, one sentence each
 */
public record SchedulePreview(
    String name,
    HealthyRetryPolicy policy,
    List<Row> rows,
    int retries,
    long attempts,
    long totalDelayMillis,
    List<String> warnings) {

  /**
   * Neighbouring retries of one stage with the same delay.
   *
   * @param stage the stage of the retries
   * @param firstRetry the first of them, counted from 1
   * @param times how many there are, at least 1
   * @param delayMillis the expected delay before each of them
   * @param lowestMillis the shortest possible delay; with no jitter the same
   * @param highestMillis the longest possible delay; with no jitter the same
   * @param cumulativeMillis all delays up to and including the last retry of the row
   */
  public record Row(
      Stage stage,
      int firstRetry,
      int times,
      long delayMillis,
      long lowestMillis,
      long highestMillis,
      long cumulativeMillis) {

    /** Returns the last retry of the row, counted from 1. */
    public int lastRetry() {
      return firstRetry + times - 1;
    }
  }

  /** Keeps the lists unchangeable. */
  public SchedulePreview {
    rows = List.copyOf(rows);
    warnings = List.copyOf(warnings);
  }

  /** Returns the preview of a retry policy. */
  public static SchedulePreview of(HealthyRetryPolicy policy, String name) {
    return of(NotificationPolicy.of(policy), name, null);
  }

  /**
   * Returns the preview of a delivery policy.
   *
   * @param policy the policy; when it says nothing of retries, the default holds
   * @param name what the policy is called
   * @param lifetime how long a message is worth delivering, or null for ever; must not be negative
   */
  public static SchedulePreview of(
      NotificationPolicy policy, String name, @Nullable Duration lifetime) {
    if (lifetime != null && lifetime.isNegative()) {
      throw new PolicyException("lifetime", lifetime.toString(), "must not be negative");
    }
    HealthyRetryPolicy retry = policy.healthyRetryPolicyOrDefault();
    List<Row> rows = rows(retry.toBackoff(), retry.numRetries());
    long total = rows.isEmpty() ? 0 : rows.get(rows.size() - 1).cumulativeMillis();
    return new SchedulePreview(
        name,
        retry,
        rows,
        retry.numRetries(),
        1L + retry.numRetries(),
        total,
        PreviewWarnings.of(retry, policy.throttlePolicy(), rows, lifetime));
  }

  /**
   * Returns the preview as one JSON object: {@code name}, {@code healthyRetryPolicy} with all seven
   * fields, {@code retries}, {@code attempts}, {@code totalDelayMillis}, and {@code delays} of
   * {@code stage}, {@code delayMillis} and {@code times}.
   */
  public ObjectNode toJson() {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("name", name);
    node.set("healthyRetryPolicy", DocumentWriter.retryFields(policy));
    node.put("retries", retries);
    node.put("attempts", attempts);
    node.put("totalDelayMillis", totalDelayMillis);
    ArrayNode delays = node.putArray("delays");
    for (Row row : rows) {
      delays
          .addObject()
          .put("stage", row.stage().wireName())
          .put("delayMillis", row.delayMillis())
          .put("times", row.times());
    }
    return node;
  }

  private static List<Row> rows(StagedBackoff backoff, int retries) {
    List<Row> rows = new ArrayList<>();
    long cumulativeMillis = 0;
    // A long: after the last of Integer.MAX_VALUE retries there is no next one.
    long first = 1;
    while (first <= retries) {
      int firstRetry = (int) first;
      long delayMillis = backoff.delayMillis(firstRetry);
      int last = lastAlike(backoff, firstRetry, retries);
      int times = last - firstRetry + 1;
      cumulativeMillis = saturatedSum(cumulativeMillis, delayMillis, times);
      rows.add(
          new Row(
              backoff.stageOf(firstRetry),
              firstRetry,
              times,
              delayMillis,
              delayMillis,
              delayMillis,
              cumulativeMillis));
      first = last + 1L;
    }
    return rows;
  }

  /**
   * Searches, rather than walks, to the last retry of the same stage and delay: delays never fall.
   */
  private static int lastAlike(StagedBackoff backoff, int first, int retries) {
    Stage stage = backoff.stageOf(first);
    long delayMillis = backoff.delayMillis(first);
    int alike = first;
    int end = retries;
    while (alike < end) {
      int middle = alike + (end - alike + 1) / 2;
      if (backoff.stageOf(middle) == stage && backoff.delayMillis(middle) == delayMillis) {
        alike = middle;
      } else {
        end = middle - 1;
      }
    }
    return alike;
  }

  private static long saturatedSum(long sum, long delayMillis, int times) {
    try {
      return Math.addExact(sum, Math.multiplyExact(delayMillis, (long) times));
    } catch (ArithmeticException longerThanLong) {
      return Long.MAX_VALUE;
    }
  }
}
