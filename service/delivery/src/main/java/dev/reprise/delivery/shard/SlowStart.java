package dev.reprise.delivery.shard;

/**
 * The growth of an endpoint that is new, or comes back after an outage: a place for each success,
 * so that places double from round to round, until a round of attempts takes clearly longer than
 * the earlier rounds, which had fewer places. Leaving slow start on delay, before anything is lost,
 * is HyStart's idea (Ha and Rhee 2011, RFC 9406); rounds are compared by their means and the spread
 * of what they measured, because times of endpoints vary more than those of networks.
 */
final class SlowStart {
  /** A mean of fewer says too little. */
  private static final int ENOUGH = 8;

  private final Latencies earlier = new Latencies();
  private final Latencies round = new Latencies();
  private int places;
  private int roundEnd;

  SlowStart(int places) {
    this.places = places;
    this.roundEnd = places;
  }

  int places() {
    return places;
  }

  /** Counts a success while all places were in use; false if growth must end. */
  boolean succeeded(long durationNanos) {
    round.add(durationNanos);
    places++;
    if (round.count() < roundEnd) {
      return true;
    }
    if (round.count() >= ENOUGH && earlier.count() >= ENOUGH && round.areSlowerThan(earlier)) {
      return false;
    }
    earlier.addAll(round);
    round.clear();
    roundEnd = places;
    return true;
  }
}
