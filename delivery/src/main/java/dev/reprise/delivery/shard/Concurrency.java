package dev.reprise.delivery.shard;

/**
 * How many attempts an endpoint gets at the same time. Additive increase, multiplicative decrease,
 * as TCP does it: each success adds one place, a failure that speaks of the endpoint halves the
 * places, once for all attempts that were under way together. So an endpoint that hangs holds few
 * attempts, and one that recovers is met by a doubling trickle instead of its whole backlog.
 *
 * <p>Not safe for use by several threads.
 */
final class Concurrency {
  private static final int INITIAL = 16;

  private int max;
  private int limit;
  private long lastCut = Long.MIN_VALUE;

  Concurrency(int max) {
    this.max = max;
    this.limit = Math.min(INITIAL, max);
  }

  void max(int max) {
    this.max = max;
    limit = Math.min(limit, max);
  }

  int limit() {
    return limit;
  }

  void succeeded() {
    limit = Math.min(max, limit + 1);
  }

  /**
   * Counts a failure of an attempt with this number in the order of starts. Attempts that had
   * started before the last cut say nothing new.
   */
  void failed(long startNumber, long lastStartNumber) {
    if (startNumber > lastCut) {
      limit = Math.max(1, limit / 2);
      lastCut = lastStartNumber;
    }
  }
}
