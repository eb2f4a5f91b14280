package dev.reprise.delivery.shard;

import dev.reprise.delivery.LimitReason;
import org.jspecify.annotations.Nullable;

/**
 * The attempts that an endpoint gets at the same time: its places. The fewest of three answers
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
 * all places are in use count, except for failures; other traffic changes nothing.
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

  private int max;

  /** The attempts that failures allow. */
  private double allowed;

  /** Whether slow start has begun. Most of many subscriptions never fill their places. */
  private boolean begun;

  /** Null before the first success while all places are in use, and once it is over. */
  private @Nullable SlowStart start;

  /** Null until slow start is over for the first time. */
  private @Nullable HillClimb climb;

  private boolean failedInARow;
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
  }

  void max(int max) {
    allowed = allowed >= this.max ? max : Math.min(allowed, max);
    this.max = max;
    if (climb != null) {
      climb.max(max);
    }
  }

  int limit() {
    return Math.min((int) allowed, wanted());
  }

  /** Returns how many there would be if nothing failed. */
  private int wanted() {
    if (!begun) {
      return Math.min(INITIAL, max);
    }
    return start == null ? climbed() : Math.min(start.places(), climbed());
  }

  private int climbed() {
    return climb == null ? max : climb.places();
  }

  LimitReason reason() {
    if (wanted() < Math.min((int) allowed, climbed())) {
      return failedInARow ? LimitReason.FAILURES : LimitReason.STARTING;
    }
    if ((int) allowed < climbed()) {
      return LimitReason.FAILURES;
    }
    if (climb != null && climb.isTrying()) {
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
      if (fullUntil != nowNanos && climb != null) {
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
    if (!begun) {
      begun = true;
      start = new SlowStart(INITIAL);
    }
    if (start != null) {
      grow(start, durationNanos);
    } else if (mayClimb()) {
      climb().succeeded(durationNanos, nowNanos);
    } else {
      climb().interrupted();
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
      begun = true;
      failedInARow = true;
      start = new SlowStart(1);
      if (climb != null) {
        climb.interrupted();
      }
    }
  }

  private void outcome(int failed) {
    outcomes = outcomes * FORGET + 1;
    failures = failures * FORGET + failed;
  }

  private void grow(SlowStart start, long durationNanos) {
    if (!start.succeeded(durationNanos)) {
      this.start = null;
      climb().startAt(start.places() / 2);
    } else if (start.places() >= Math.min((int) allowed, climbed())) {
      this.start = null;
      climb().interrupted();
    }
  }

  private HillClimb climb() {
    if (climb == null) {
      climb = new HillClimb(max);
    }
    return climb;
  }

  private boolean mayClimb() {
    return 4 * (int) allowed >= 3 * climbed();
  }

  /** Brings the time while all places are in use up to now. */
  private void count(long nowNanos) {
    if (fullSince == NEVER) {
      return;
    }
    if (nowNanos > fullSince) {
      if (climb != null && start == null && mayClimb()) {
        climb.decide();
        climb.passed(nowNanos - fullSince);
      }
      fullSince = nowNanos;
    }
    fullUntil = nowNanos;
  }
}
