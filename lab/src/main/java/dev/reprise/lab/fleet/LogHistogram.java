package dev.reprise.lab.fleet;

import dev.reprise.lab.figure.Distribution;
import java.util.Arrays;

/**
 * Counts whole numbers from 0 in ranges that are exact at first and then grow with the numbers:
 * each doubling has the same number of ranges.
 */
final class LogHistogram {
  private final int bits;
  private final long[] counts;

  /**
   * Creates an empty one.
   *
   * @param bits there are {@code 2^bits} ranges for each doubling, and numbers below twice that are
   *     exact
   */
  LogHistogram(int bits) {
    this.bits = bits;
    this.counts = new long[(Long.SIZE - bits) << bits];
  }

  void add(long value, long count) {
    counts[rangeOf(value)] += count;
  }

  private int rangeOf(long value) {
    // The highest bits of the number, and how far they are shifted.
    int shift = Math.max(0, Long.SIZE - 1 - Long.numberOfLeadingZeros(value | 1) - bits);
    return (shift << bits) + (int) (value >>> shift);
  }

  /** Returns the highest number of a range. */
  private long highest(int range) {
    int shift = Math.max(0, (range >>> bits) - 1);
    return (((long) range - ((long) shift << bits) + 1) << shift) - 1;
  }

  /** Returns the ranges from the first to the last that is not empty, with bounds in a unit. */
  Distribution toDistribution(String name, String unit, double perUnit) {
    int first = 0;
    int last = counts.length - 1;
    while (first < last && counts[first] == 0) {
      first++;
    }
    while (last > first && counts[last] == 0) {
      last--;
    }
    double[] bounds = new double[last - first + 1];
    for (int i = 0; i < bounds.length; i++) {
      bounds[i] = highest(first + i) / perUnit;
    }
    return new Distribution(name, unit, bounds, Arrays.copyOfRange(counts, first, last + 1));
  }
}
