package dev.reprise.delivery.shard;

import dev.reprise.testkit.SeededRandom;

/** Draws what goes wrong around a replicated shard; nothing does any more once all is calm. */
final class ClusterFaults {
  private static final long MILLI = 1_000_000;

  private final SeededRandom random;

  /** How rare a fault is at a place where there may be one. */
  private final int rarity;

  private boolean calm;

  ClusterFaults(SeededRandom random) {
    this.random = random;
    this.rarity = pick(15, 40, 100, 400);
  }

  void calmDown() {
    calm = true;
  }

  boolean isCalm() {
    return calm;
  }

  /** Whether something goes wrong, more rarely by a factor. */
  boolean strikes(int factor) {
    return !calm && random.nextInt(rarity * factor) == 0;
  }

  /**
   * How long a thread stands still here: mostly not at all, now and then for longer than a lease.
   */
  long pauseNanos() {
    return strikes(1) ? pick(1, 20, 300, 800, 1_300, 5_000, 20_000) * MILLI : 0;
  }

  /** How long a request to the brokers takes. */
  long requestNanos() {
    return calm ? MILLI : random.nextLong(4 * MILLI) + pauseNanos();
  }

  int pick(int... from) {
    return from[random.nextInt(from.length)];
  }

  int nextInt(int bound) {
    return random.nextInt(bound);
  }

  long nextLong(long bound) {
    return random.nextLong(bound);
  }

  SeededRandom fork() {
    return random.fork();
  }
}
