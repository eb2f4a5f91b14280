package dev.reprise.bench.common;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.DoubleStream;

/** Small arithmetic on measurements. */
public final class Figures {
  private Figures() {}

  /**
   * Returns the middle of the values; of an even number of them, the mean of the two in the middle.
   *
   * @throws IllegalArgumentException when there are none
   */
  public static double median(double... values) {
    if (values.length == 0) {
      throw new IllegalArgumentException("values has no elements: must have at least one");
    }
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /** Returns the middle of the values, as {@link #median(double...)} does. */
  public static double median(DoubleStream values) {
    return median(values.toArray());
  }

  /**
   * Returns the value below which a share of the first {@code count} values lies.
   *
   * @param quantile the share, from 0 to 1
   * @throws IllegalArgumentException when nothing was measured
   */
  public static double quantile(long[] values, int count, double quantile) {
    if (count == 0) {
      throw new IllegalArgumentException("count is 0: nothing was measured");
    }
    long[] sorted = Arrays.copyOf(values, count);
    Arrays.sort(sorted);
    return sorted[Math.min(count - 1, (int) (count * quantile))];
  }

  /** Returns nanoseconds in milliseconds, such as {@code 2.50 ms}. */
  public static String millis(double nanos) {
    return String.format(Locale.ROOT, "%.2f ms", nanos / 1e6);
  }

  /** Returns a figure that a goal without a name is about. */
  public static String ratio(double ratio) {
    return String.format(Locale.ROOT, "ratio=%.2f", ratio);
  }
}
