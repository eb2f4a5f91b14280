package dev.reprise.bench.service;

import java.util.Arrays;
import java.util.Locale;

/** Small arithmetic on measurements. */
final class Figures {
  private Figures() {}

  static double median(double... values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /** The value below which a share {@code quantile} of the first {@code count} values lies. */
  static double quantile(long[] values, int count, double quantile) {
    if (count == 0) {
      throw new IllegalArgumentException("count is 0: nothing was measured");
    }
    long[] sorted = Arrays.copyOf(values, count);
    Arrays.sort(sorted);
    return sorted[Math.min(count - 1, (int) (count * quantile))];
  }

  static String millis(double nanos) {
    return String.format(Locale.ROOT, "%.2f ms", nanos / 1e6);
  }

  static String ratio(double ratio) {
    return String.format(Locale.ROOT, "ratio=%.2f", ratio);
  }
}
