package dev.reprise.delivery.shard;

/**
 * How many attempts an endpoint gets at the same time, found out as TCP finds its window. A new
 * endpoint begins with {@value #INITIAL}, and each success adds a place until the first sign of
 * strain; from then on a round of successes adds one. Attempts that take more than twice as long as
 * the endpoint's best take places away in the same measure: more at once would only wait longer, be
 * it there or in this process, and every place is a connection. A failure that speaks of the
 * endpoint halves the places, once for all attempts that were under way together.
 *
 * <p>So an endpoint that hangs holds few attempts, one that recovers is met by a growing trickle
 * instead of its whole backlog, and a fast one is served over few connections.
 *
 * <p>Not safe for use by several threads.
 */
final class Concurrency {
  private static final int INITIAL = 2;

  /** The best time is forgotten slowly, for an endpoint may move further away. */
  private static final double FORGET = 1.0003;

  private static final double STRAIN = 2;

  /** Differences below this are noise of this machine. */
  private static final double NOISE_NANOS = 2_000_000;

  private int max;
  private double places;
  private boolean doubling = true;
  private double bestNanos = Double.MAX_VALUE;
  private long lastCut = Long.MIN_VALUE;

  Concurrency(int max) {
    this.max = max;
    this.places = Math.min(INITIAL, max);
  }

  void max(int max) {
    this.max = max;
    places = Math.min(places, max);
  }

  int limit() {
    return (int) places;
  }

  /**
   * Counts a success.
   *
   * @param durationNanos how long the attempt took
   * @param allInUse whether all places were taken, so that more of them could be of use
   */
  void succeeded(long durationNanos, boolean allInUse) {
    bestNanos = Math.min((double) durationNanos, bestNanos * FORGET);
    if (durationNanos > bestNanos * STRAIN + NOISE_NANOS) {
      doubling = false;
      places = Math.max(1, places - 1 / places);
    } else if (allInUse) {
      places = Math.min(max, places + (doubling ? 1 : 1 / places));
    }
  }

  /**
   * Counts a failure of an attempt with this number in the order of starts. Attempts that had
   * started before the last cut say nothing new.
   */
  void failed(long startNumber, long lastStartNumber) {
    if (startNumber > lastCut) {
      doubling = false;
      places = Math.max(1, Math.floor(places / 2));
      lastCut = lastStartNumber;
    }
  }
}
