package dev.reprise.policy.preview;

import dev.reprise.core.backoff.Stage;
import dev.reprise.policy.HealthyRetryPolicy;
import dev.reprise.policy.NotificationPolicy;
import dev.reprise.policy.Policy;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.policy.PolicyException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Every delay of a policy before it is used: when each retry comes, how long all take together, and
 * what may surprise.
 *
 * <p>Neighbouring retries that may wait equally long are one row, so that a policy of 100,010
 * retries is two rows, and one that retries for ever ends in a row that has no end. Delays run from
 * the end of one attempt to the start of the next; the time that the attempts take comes on top,
 * and so does what a hint of the other side adds.
 *
 * @param name what the policy is called
 * @param policy the policy
 * @param rows the delays in order; empty when there are no retries, and at most {@link #MAX_ROWS}
 * @param throttleRows the delays when every retry follows a throttle; empty when they are the same
 * @param warnings what may surprise, one sentence each
 */
public record SchedulePreview(
    String name, Policy policy, List<Row> rows, List<Row> throttleRows, List<String> warnings) {

  /** A schedule with more rows is cut off here; the last row then ends before the last retry. */
  public static final int MAX_ROWS = 1_000;

  /**
   * Neighbouring retries that may wait equally long.
   *
   * @param stage the stage of the retries, or null when the backoff has no stages
   * @param firstRetry the first of them, counted from 1
   * @param times how many there are, at least 1, or {@link Policy#UNLIMITED} for no end
   * @param delay the delay before each of them
   * @param cumulative all delays up to and including the last retry of the row; of a row without an
   *     end, its first
   */
  public record Row(
      @Nullable Stage stage, int firstRetry, int times, DelaySpan delay, DelaySpan cumulative) {

    /** Returns true when the row goes on for ever. */
    public boolean isEndless() {
      return times == Policy.UNLIMITED;
    }

    /**
     * Returns the last retry of the row, counted from 1; {@link Policy#UNLIMITED} when it has none.
     */
    public int lastRetry() {
      return isEndless() ? Policy.UNLIMITED : firstRetry + times - 1;
    }
  }

  /** Keeps the lists unchangeable. */
  public SchedulePreview {
    rows = List.copyOf(rows);
    throttleRows = List.copyOf(throttleRows);
    warnings = List.copyOf(warnings);
  }

  /** Returns the preview of a policy. */
  public static SchedulePreview of(Policy policy, String name) {
    return of(policy, name, null);
  }

  /**
   * Returns the preview of a policy.
   *
   * @param lifetime how long the operation is worth trying, or null for as long as the policy says;
   *     must not be negative
   */
  public static SchedulePreview of(Policy policy, String name, @Nullable Duration lifetime) {
    if (lifetime != null && lifetime.isNegative()) {
      throw new PolicyException("lifetime", lifetime.toString(), "must not be negative");
    }
    List<Row> rows = ScheduleRows.of(policy.backoff(), policy.maxRetries());
    List<Row> throttleRows =
        policy.throttleBackoff().equals(policy.backoff())
            ? List.of()
            : ScheduleRows.of(policy.throttleBackoff(), policy.maxRetries());
    return new SchedulePreview(
        name, policy, rows, throttleRows, warnings(policy, rows, throttleRows, lifetime));
  }

  private static List<String> warnings(
      Policy policy, List<Row> rows, List<Row> throttleRows, @Nullable Duration lifetime) {
    if (rows.isEmpty()) {
      return List.of("No retries: the first failed attempt is the last.");
    }
    return policy instanceof NotificationPolicy notification
        ? PreviewWarnings.of(notification, rows, lifetime)
        : StrategyWarnings.of(policy.toStrategyPolicy(), rows, throttleRows, lifetime);
  }

  /** Returns how many retries there are, or {@link Policy#UNLIMITED}. */
  public int retries() {
    return policy.maxRetries();
  }

  /** Returns how many attempts there are: 1 + retries. */
  public long attempts() {
    return 1L + retries();
  }

  /** Returns true when the retries go on for ever. */
  public boolean isUnlimited() {
    return retries() == Policy.UNLIMITED;
  }

  /**
   * Returns all delays together, or null when there is no telling: the retries have no end, or more
   * rows than are shown.
   */
  public @Nullable DelaySpan total() {
    if (rows.isEmpty()) {
      return DelaySpan.ZERO;
    }
    Row last = rows.get(rows.size() - 1);
    return last.isEndless() || last.lastRetry() < retries() ? null : last.cumulative();
  }

  /**
   * Returns the preview as one JSON object: {@code name}, the policy, {@code retries}, {@code
   * attempts}, {@code totalDelayMillis}, and {@code delays}.
   *
   * <p>In the notification format the policy is {@code healthyRetryPolicy} with all seven fields,
   * and delays are {@code stage}, {@code delayMillis} and {@code times}. In the general format the
   * policy is {@code policy}; delays have {@code lowestMillis} and {@code highestMillis} too,
   * {@code delayMillis} is the expected one, and {@code throttleDelays} are there when they differ.
   * A value without end is null.
   */
  public ObjectNode toJson() {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("name", name);
    DelaySpan total = total();
    if (policy instanceof NotificationPolicy notification) {
      HealthyRetryPolicy retries = notification.healthyRetryPolicyOrDefault();
      node.set("healthyRetryPolicy", PolicyDocuments.write(retries));
    } else {
      node.set("policy", PolicyDocuments.write(policy));
    }
    putCount(node, "retries", retries());
    if (isUnlimited()) {
      node.putNull("attempts");
    } else {
      node.put("attempts", attempts());
    }
    putMillis(node, "totalDelayMillis", total == null ? null : total.expected());
    if (policy instanceof NotificationPolicy) {
      ArrayNode delays = node.putArray("delays");
      rows.forEach(row -> putDelay(putStage(delays.addObject(), row), row));
      return node;
    }
    putMillis(node, "lowestTotalMillis", total == null ? null : total.lowest());
    putMillis(node, "highestTotalMillis", total == null ? null : total.highest());
    putRanges(node.putArray("delays"), rows);
    if (!throttleRows.isEmpty()) {
      putRanges(node.putArray("throttleDelays"), throttleRows);
    }
    ArrayNode sentences = node.putArray("warnings");
    warnings.forEach(sentences::add);
    return node;
  }

  /**
   * Puts the rows with all that is known of each: {@code retry}, {@code stage} where there are
   * stages, the delay, its range, {@code cumulativeMillis} and {@code times}.
   */
  public static void putRows(ArrayNode array, List<Row> rows) {
    for (Row row : rows) {
      ObjectNode node = putStage(array.addObject().put("retry", row.firstRetry()), row);
      putMillis(node, "delayMillis", row.delay().expected());
      putMillis(node, "lowestMillis", row.delay().lowest());
      putMillis(node, "highestMillis", row.delay().highest());
      putMillis(node, "cumulativeMillis", row.cumulative().expected());
      putCount(node, "times", row.times());
    }
  }

  private static void putRanges(ArrayNode array, List<Row> rows) {
    for (Row row : rows) {
      ObjectNode node = putStage(array.addObject(), row);
      putMillis(node, "lowestMillis", row.delay().lowest());
      putDelay(node, row);
      putMillis(node, "highestMillis", row.delay().highest());
    }
  }

  private static void putDelay(ObjectNode node, Row row) {
    putMillis(node, "delayMillis", row.delay().expected());
    putCount(node, "times", row.times());
  }

  private static ObjectNode putStage(ObjectNode node, Row row) {
    return row.stage() == null ? node : node.put("stage", row.stage().wireName());
  }

  private static void putCount(ObjectNode node, String field, int count) {
    if (count == Policy.UNLIMITED) {
      node.putNull(field);
    } else {
      node.put(field, count);
    }
  }

  /** Puts milliseconds: whole ones as such, others with a fraction of up to six digits. */
  private static void putMillis(ObjectNode node, String field, @Nullable Duration duration) {
    if (duration == null) {
      node.putNull(field);
    } else if (duration.toNanosPart() % 1_000_000 == 0) {
      node.put(field, DelaySpan.saturatedMillis(duration));
    } else {
      BigDecimal seconds =
          BigDecimal.valueOf(duration.getSeconds()).add(BigDecimal.valueOf(duration.getNano(), 9));
      node.put(field, seconds.movePointRight(3).stripTrailingZeros());
    }
  }
}
