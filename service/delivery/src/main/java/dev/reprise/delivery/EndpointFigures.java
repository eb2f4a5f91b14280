package dev.reprise.delivery;

import dev.reprise.delivery.DeliveryState.Status;
import dev.reprise.delivery.figures.LatencyHistogram;
import java.util.List;
import java.util.SortedMap;

/**
 * The figures of one subscription in a span of time: attempts, what came of them, how long they
 * took, and what held them back. They are for people to look at; the {@link Ledger} is what is
 * exact. Not safe for use by several threads.
 */
public final class EndpointFigures {
  /** The span of which one record is kept. */
  public static final long MINUTE_MILLIS = 60_000;

  private final long fromMillis;
  private final LatencyHistogram latency = new LatencyHistogram();
  private final int[] outcomes = new int[OutcomeClass.values().length];
  private long delivered;
  private long retried;
  private long givenUp;
  private int minLimit = Integer.MAX_VALUE;
  private int limit;
  private long pausedMillis;
  private long pending;
  private long oldestDueMillis;

  /** Figures of a span that begins then, wall time, and has none yet. */
  public EndpointFigures(long fromMillis) {
    this.fromMillis = fromMillis;
  }

  /** Returns when the minute began in which {@code millis} lies. */
  public static long minuteOf(long millis) {
    return millis - Math.floorMod(millis, MINUTE_MILLIS);
  }

  /**
   * Counts an attempt.
   *
   * @param after how its delivery stood afterwards
   */
  public void attempted(AttemptOutcome outcome, Status after) {
    count(OutcomeClass.of(outcome), 1);
    latency.add(outcome.durationNanos());
    switch (after) {
      case DELIVERED -> delivered++;
      case PENDING -> retried++;
      default -> givenUp++;
    }
  }

  /** Counts outcomes of a class. */
  public void count(OutcomeClass outcome, int attempts) {
    outcomes[index(outcome)] += attempts;
  }

  @SuppressWarnings("EnumOrdinal") // Of an array in memory; what is stored has codes of its own.
  private static int index(OutcomeClass outcome) {
    return outcome.ordinal();
  }

  /** Counts attempts by how their deliveries stood afterwards. */
  public void count(long delivered, long retried, long givenUp) {
    this.delivered += delivered;
    this.retried += retried;
    this.givenUp += givenUp;
  }

  /** Counts these times. */
  public void count(LatencyHistogram latencies) {
    latency.add(latencies);
  }

  /** Notes how many attempts are allowed at the same time. */
  public void limit(int now) {
    minLimit = Math.min(minLimit, now);
    limit = now;
  }

  /** Counts time in which the endpoint had asked for a pause. */
  public void paused(long millis) {
    pausedMillis += millis;
  }

  /** Notes what waits. */
  public void waiting(long pending, long oldestDueMillis) {
    this.pending = pending;
    this.oldestDueMillis = oldestDueMillis;
  }

  /** Adds figures of the same span or of a later one. */
  public void add(EndpointFigures later) {
    for (int i = 0; i < outcomes.length; i++) {
      outcomes[i] += later.outcomes[i];
    }
    count(later.delivered, later.retried, later.givenUp);
    latency.add(later.latency);
    minLimit = Math.min(minLimit, later.minLimit);
    limit = later.limit;
    pausedMillis += later.pausedMillis;
    waiting(later.pending, later.oldestDueMillis);
  }

  /**
   * Adds spans of one shard to those that others have of the same subscription.
   *
   * @param sum by the beginning of the span
   */
  public static void addBeside(SortedMap<Long, EndpointFigures> sum, List<EndpointFigures> spans) {
    for (EndpointFigures span : spans) {
      EndpointFigures others = sum.putIfAbsent(span.fromMillis, span);
      if (others != null) {
        others.addBeside(span);
      }
    }
  }

  private void addBeside(EndpointFigures other) {
    for (int i = 0; i < outcomes.length; i++) {
      outcomes[i] += other.outcomes[i];
    }
    count(other.delivered, other.retried, other.givenUp);
    latency.add(other.latency);
    minLimit = Math.min(minLimit, limit) + Math.min(other.minLimit, other.limit);
    limit += other.limit;
    pausedMillis = Math.max(pausedMillis, other.pausedMillis);
    pending += other.pending;
    oldestDueMillis =
        oldestDueMillis == 0 || other.oldestDueMillis == 0
            ? Math.max(oldestDueMillis, other.oldestDueMillis)
            : Math.min(oldestDueMillis, other.oldestDueMillis);
  }

  /**
   * Adds figures of the same minute that another process has counted. Its clock may have been
   * ahead, so that both have counted some of a pause.
   */
  public void addOfSameMinute(EndpointFigures other) {
    add(other);
    pausedMillis = Math.min(pausedMillis, MINUTE_MILLIS);
  }

  /** Returns a copy that others may read while this one changes. */
  public EndpointFigures copy() {
    EndpointFigures copy = new EndpointFigures(fromMillis);
    copy.add(this);
    return copy;
  }

  /** Returns when the span began, wall time. */
  public long fromMillis() {
    return fromMillis;
  }

  /** Returns how many attempts were made. */
  public long attempts() {
    return delivered + retried + givenUp;
  }

  /** Returns how many of them succeeded. */
  public long delivered() {
    return delivered;
  }

  /** Returns how many of them are followed by another. */
  public long retried() {
    return retried;
  }

  /** Returns after how many of them the delivery was given up. */
  public long givenUp() {
    return givenUp;
  }

  /** Returns how many had an outcome of this class. */
  public int outcomes(OutcomeClass outcome) {
    return outcomes[index(outcome)];
  }

  /** Returns how long they took. */
  public LatencyHistogram latency() {
    return latency;
  }

  /** Returns the fewest attempts that were allowed at the same time. */
  public int minLimit() {
    return Math.min(minLimit, limit);
  }

  /** Returns how many attempts were allowed at the same time at the end. */
  public int limit() {
    return limit;
  }

  /** Returns for how long the endpoint had asked for a pause. */
  public long pausedMillis() {
    return pausedMillis;
  }

  /** Returns how many deliveries were pending at the end. */
  public long pending() {
    return pending;
  }

  /**
   * Returns when the oldest of them was due, wall time, possibly too early; 0 if there were none.
   */
  public long oldestDueMillis() {
    return oldestDueMillis;
  }
}
