package dev.reprise.bench.device;

import java.util.Locale;
import java.util.stream.DoubleStream;

/** Small arithmetic on measurements. */
final class Figures {
  private Figures() {}

  /** Returns the middle of the values; of an even number, the mean of the two in the middle. */
  static double median(DoubleStream values) {
    double[] sorted = values.sorted().toArray();
    if (sorted.length == 0) {
      throw new IllegalArgumentException("values has no elements: must have at least one");
    }
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  static String ratio(double ratio) {
    return String.format(Locale.ROOT, "ratio=%.2f", ratio);
  }
}
