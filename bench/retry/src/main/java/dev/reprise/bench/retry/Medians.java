package dev.reprise.bench.retry;

import java.util.stream.DoubleStream;

/** The middle of measured values; of an even number of them, the mean of the two in the middle. */
final class Medians {
  private Medians() {}

  static double of(DoubleStream values) {
    double[] sorted = values.sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
