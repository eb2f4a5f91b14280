package dev.reprise.lab.figure;

import java.util.Arrays;

/**
 * Counts whole numbers in ranges that grow with them: exact below 8, and within an eighth above.
 * Not thread-safe.
 */
public final class RangeCounts {
  private static final int EXACT = 8;
  private static final int EXACT_BITS = 3;
  private static final int PER_OCTAVE = 4;
  private static final int PER_OCTAVE_BITS = 2;

  private final long[] counts = new long[EXACT + (Long.SIZE - 1 - EXACT_BITS) * PER_OCTAVE];
  private int highest = -1;

  /** Counts a number, at least 0. */
  public void add(long number) {
    int range = rangeOf(number);
    counts[range]++;
    highest = Math.max(highest, range);
  }

  /**
   * Returns what was counted, up to the highest range that has any.
   *
   * @param name of the distribution
   * @param unit of its bounds
   * @param perUnit how many of the numbers make one of the unit, more than 0
   */
  public Distribution distribution(String name, String unit, double perUnit) {
    double[] upperBounds = new double[highest + 1];
    for (int range = 0; range <= highest; range++) {
      upperBounds[range] = upperBoundOf(range) / perUnit;
    }
    return new Distribution(name, unit, upperBounds, Arrays.copyOf(counts, highest + 1));
  }

  private static int rangeOf(long number) {
    if (number < EXACT) {
      return (int) number;
    }
    int exponent = Long.SIZE - 1 - Long.numberOfLeadingZeros(number);
    int within = (int) (number >>> (exponent - PER_OCTAVE_BITS)) & (PER_OCTAVE - 1);
    return EXACT + (exponent - EXACT_BITS) * PER_OCTAVE + within;
  }

  private static double upperBoundOf(int range) {
    if (range < EXACT) {
      return range;
    }
    int exponent = EXACT_BITS + (range - EXACT) / PER_OCTAVE;
    int within = (range - EXACT) % PER_OCTAVE;
    return Math.scalb((double) PER_OCTAVE + within + 1, exponent - PER_OCTAVE_BITS) - 1;
  }
}
