package dev.reprise.core.backoff;

import java.util.random.RandomGenerator;

/** Sources of randomness whose draws are known. */
final class Sources {
  /** Draws the lowest of every range. */
  static final RandomGenerator LOWEST = () -> 0L;

  /** Draws the highest of every range. */
  static final RandomGenerator HIGHEST = () -> -1L;

  /** Fails when asked: what uses it has no jitter. */
  static final RandomGenerator UNTOUCHED =
      () -> {
        throw new AssertionError("a backoff without jitter drew a random number");
      };

  private Sources() {}

  /** Draws the same place of every range: 0.5 is the middle. */
  static RandomGenerator at(double share) {
    long bits = (long) (share * 0x1p63) << 1;
    return () -> bits;
  }

  /** Counts what is drawn from a source of one bits. */
  static final class Counting implements RandomGenerator {
    private int draws;

    @Override
    public long nextLong() {
      draws++;
      return -1;
    }

    int draws() {
      return draws;
    }
  }
}
