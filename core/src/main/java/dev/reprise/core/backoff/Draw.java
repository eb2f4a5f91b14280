package dev.reprise.core.backoff;

import java.util.random.RandomGenerator;

/** The one way in which delays are drawn. */
final class Draw {
  private Draw() {}

  /**
   * Returns a whole number between two bounds that may both be drawn: the lowest from a source of
   * zero bits, the highest from a source of one bits.
   *
   * <p>It takes one number from the source and never asks again, so it ends in constant time even
   * when the source is broken. No value is more likely than another by more than 2<sup>-64</sup>.
   *
   * @param lowest at least 0
   * @param highest at least {@code lowest}
   */
  static long between(long lowest, long highest, RandomGenerator random) {
    if (lowest == highest) {
      return lowest;
    }
    // Up to 2^63, which a long holds when it is read as unsigned.
    long values = highest - lowest + 1;
    return lowest + unsignedMultiplyHigh(random.nextLong(), values);
  }

  /** Does what {@code Math.unsignedMultiplyHigh} does since JDK 18. */
  private static long unsignedMultiplyHigh(long a, long b) {
    return Math.multiplyHigh(a, b) + ((a >> 63) & b) + ((b >> 63) & a);
  }
}
