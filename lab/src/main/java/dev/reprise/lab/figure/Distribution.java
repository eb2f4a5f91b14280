package dev.reprise.lab.figure;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * Counts of a quantity by range. The arrays are not copied: the caller must not change them
 * afterwards.
 *
 * @param name the same in JSON, CSV and HTML: see the constants
 * @param unit what the bounds are in; empty for counts
 * @param upperBounds the inclusive upper bound of each range, rising
 * @param counts how many fell into each range, as many as there are bounds
 */
public record Distribution(String name, String unit, double[] upperBounds, long[] counts) {
  /** Attempts that a device or call made until it ended. */
  public static final String ATTEMPTS = "attempts";

  /** Delays before retries. */
  public static final String DELAYS = "delays";

  /** The time from recovery, or from the start of a call, to its success. */
  public static final String WAITS = "waits";

  /** Checks that there is a count for each bound. */
  public Distribution {
    Objects.requireNonNull(name, "name");
    if (upperBounds.length != counts.length) {
      throw new IllegalArgumentException(
          "counts has " + counts.length + " entries: must be as many as upperBounds");
    }
  }

  /** Returns how many fell into any range. */
  public long total() {
    long total = 0;
    for (long count : counts) {
      total += count;
    }
    return total;
  }

  /**
   * Sums distributions of one name. Where the ranges of two differ, the sum has the bounds of both,
   * and each count stays with the bound that it had.
   */
  static Distribution sum(List<Distribution> distributions) {
    TreeMap<Double, Long> sums = new TreeMap<>();
    for (Distribution distribution : distributions) {
      for (int i = 0; i < distribution.counts.length; i++) {
        sums.merge(distribution.upperBounds[i], distribution.counts[i], Long::sum);
      }
    }
    Distribution first = distributions.get(0);
    double[] bounds = new double[sums.size()];
    long[] counts = new long[sums.size()];
    int next = 0;
    for (Map.Entry<Double, Long> range : sums.entrySet()) {
      bounds[next] = range.getKey();
      counts[next++] = range.getValue();
    }
    return new Distribution(first.name, first.unit, bounds, counts);
  }
}
