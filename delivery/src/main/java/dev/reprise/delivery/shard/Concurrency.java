package dev.reprise.delivery.shard;

import org.jspecify.annotations.Nullable;

/**
 * How many attempts an endpoint gets at the same time: its places. The fewest of three answers
 * counts.
 *
 * <ul>
 *   <li>{@link SlowStart}: a new endpoint begins with {@value #INITIAL} places, and each success
 *       adds one, as long as answers stay as quick as they were.
 *   <li>{@link HillClimb}: places are given up only where fewer bring the same throughput, be it
 *       the endpoint or this process that serves no more. Times that vary or rise are no reason
 *       alone.
 *   <li>Failures that speak of the endpoint: each takes half a place, and a round of successes
 *       brings one back (additive increase, multiplicative decrease: Chiu and Jain 1989). So of
 *       attempts that are under way together the share that fails counts, as in DCTCP (RFC 8257),
 *       and a lasting share p leaves about 2/p places: one failure in a hundred costs none. When
 *       all of them fail and none succeeds between, one place is left, and slow start brings back
 *       what the failures allow: half of the places before, less after a long outage.
 * </ul>
 *
 * <p>So an endpoint that hangs holds few attempts, one that recovers is met by a growing trickle
 * instead of its whole backlog, and one that answers is served at its speed. Only times at which
 * all places are in use count; other traffic changes nothing.
 *
 * <p>Pure: the time comes with each call, is monotonic and in nanoseconds. Not safe for use by
 * several threads.
 */
final class Concurrency {
  private static final int INITIAL = 2;
  private static final double PLACES_PER_FAILURE = 0.5;

  /** A share of failures above this counts from the places in use, not from those allowed. */
  private static final double MANY = 0.1;

  private static final double FORGET = 1 - 1 / 32.0;
  private static final long NEVER = Long.MIN_VALUE;

  private final HillClimb climb;
  private int max;

  /** What failures allow. */
  private double allowed;

  /** Null once it is over. */
  private @Nullable SlowStart start;

  private boolean failedOnce;
  private double outcomes;
  private double failures;
  private int failuresInRow;
  private int placesBeforeRow;

  /**
   * Since when all places are in use, as far as that is counted; {@link #NEVER} if they are not.
   */
  private long fullSince = NEVER;

  private long fullUntil = NEVER;

  Concurrency(int max) {
    this.max = max;
    this.allowed = max;
    this.climb = new HillClimb(max);
    this.start = new SlowStart(INITIAL);
  }

  void max(int max) {
    if (allowed >= this.max) {
      allowed = max;
    }
    this.max = max;
    allowed = Math.min(allowed, max);
    climb.max(max);
  }

  int limit() {
    return Math.min((int) allowed, wanted());
  }

  /** What there would be if nothing failed. */
  private int wanted() {
    return start == null ? climb.places() : Math.min(start.places(), climb.places());
  }

  LimitReason reason() {
    if (start != null && start.places() < Math.min((int) allowed, climb.places())) {
      return failedOnce ? LimitReason.FAILURES : LimitReason.STARTING;
    }
    if ((int) allowed < climb.places()) {
      return LimitReason.FAILURES;
    }
    if (climb.isTrying()) {
      return LimitReason.MEASURING;
    }
    return limit() == max ? LimitReason.MAXIMUM : LimitReason.THROUGHPUT;
  }

  /** Attempts have started or ended; {@code inFlight} are under way now. */
  void occupied(int inFlight, long nowNanos) {
    count(nowNanos);
    if (inFlight < limit()) {
      fullSince = NEVER;
    } else if (fullSince == NEVER) {
      if (fullUntil != nowNanos) {
        climb.resumed();
      }
      fullSince = nowNanos;
    }
  }

  /** Counts a success, before its place counts as free. */
  void succeeded(long durationNanos, long nowNanos) {
    count(nowNanos);
    outcome(0);
    failuresInRow = 0;
    if (fullUntil != nowNanos) {
      return;
    }
    allowed = Math.min(max, allowed + 1 / allowed);
    if (start != null) {
      grow(start, durationNanos);
    } else if (mayClimb()) {
      climb.succeeded(durationNanos, nowNanos);
    } else {
      climb.interrupted();
    }
  }

  /** Counts a failure that speaks of the endpoint, before its place counts as free. */
  void failed(long nowNanos) {
    count(nowNanos);
    outcome(1);
    if (failuresInRow++ == 0) {
      placesBeforeRow = limit();
    }
    double from = failures > MANY * outcomes ? Math.min(allowed, wanted()) : allowed;
    allowed = Math.max(1, from - PLACES_PER_FAILURE);
    if (failuresInRow >= placesBeforeRow) {
      failedOnce = true;
      climb.interrupted();
      start = new SlowStart(1);
    }
  }

  private void outcome(int failed) {
    outcomes = outcomes * FORGET + 1;
    failures = failures * FORGET + failed;
  }

  private void grow(SlowStart start, long durationNanos) {
    if (!start.succeeded(durationNanos)) {
      climb.startAt(start.places() / 2);
      this.start = null;
    } else if (start.places() >= Math.min((int) allowed, climb.places())) {
      this.start = null;
      climb.interrupted();
    }
  }

  private boolean mayClimb() {
    return 4 * (int) allowed >= 3 * climb.places();
  }

  /** Brings the time while all places are in use up to now. */
  private void count(long nowNanos) {
    if (fullSince == NEVER) {
      return;
    }
    if (nowNanos > fullSince) {
      if (start == null && mayClimb()) {
        climb.decide();
        climb.passed(nowNanos - fullSince);
      }
      fullSince = nowNanos;
    }
    fullUntil = nowNanos;
  }
}
