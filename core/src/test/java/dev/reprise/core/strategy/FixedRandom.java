package dev.reprise.core.strategy;

import java.util.random.RandomGenerator;

/** Always the same bits: all ones draw the longest delay of a jittered backoff, zeros the least. */
record FixedRandom(long nextLong) implements RandomGenerator {
  /** Draws the longest delay. */
  static final FixedRandom LONGEST = new FixedRandom(-1);

  /** Draws the shortest delay. */
  static final FixedRandom SHORTEST = new FixedRandom(0);
}
