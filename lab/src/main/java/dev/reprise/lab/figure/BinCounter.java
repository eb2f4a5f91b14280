package dev.reprise.lab.figure;

import java.util.Arrays;

/**
 * Counts events in bins of 100 ms; in bins of 1 s, 2 s, 4 s, … when the run is too long. Not
 * thread-safe.
 */
public final class BinCounter {
  private static final long MIN_NANOS = 100_000_000;
  private static final long SECOND_NANOS = 1_000_000_000;
  private static final int MAX_BINS = 1 << 18;
  private static final int MAX_VALUES = 8192;
  private static final double NANOS_PER_SECOND = 1e9;

  private double[] bins = new double[256];
  private int used;
  private long binNanos = MIN_NANOS;

  /** Counts one event. */
  public void add(long atNanos) {
    int bin = binOf(atNanos);
    bins[bin]++;
    used = Math.max(used, bin + 1);
  }

  /** Spreads what lasted from one time to another evenly over the bins of that time. */
  public void add(long fromNanos, long toNanos, double perNano) {
    if (toNanos <= fromNanos || perNano == 0) {
      return;
    }
    // Makes the bins as wide as they must be before the first of them is looked up.
    int last = binOf(toNanos - 1);
    used = Math.max(used, last + 1);
    for (int bin = binOf(fromNanos); bin <= last; bin++) {
      long start = Math.max(fromNanos, bin * binNanos);
      long end = Math.min(toNanos, (bin + 1) * binNanos);
      bins[bin] += (end - start) * perNano;
    }
  }

  /** Returns the counts in bins of their present width. */
  public TimeBins bins() {
    return new TimeBins(binNanos / NANOS_PER_SECOND, Arrays.copyOf(bins, used));
  }

  /**
   * Returns the counts per second, in at most some thousand bins.
   *
   * @param name of the series
   * @param unit of its values
   * @param endNanos when the run ended
   */
  public Series perSecond(String name, String unit, long endNanos) {
    long width = widthNanos(endNanos);
    int merged = Math.toIntExact(width / binNanos);
    double[] values = new double[Math.toIntExact(Math.max(1, (endNanos + width - 1) / width))];
    for (int bin = 0; bin < Math.min((long) values.length * merged, used); bin++) {
      values[bin / merged] += bins[bin] / (width / NANOS_PER_SECOND);
    }
    return new Series(name, unit, width / NANOS_PER_SECOND, values);
  }

  /** A tenth of a second for short runs, a second for usual ones, and more for long ones. */
  private static long widthNanos(long endNanos) {
    long width = endNanos <= 600 * MIN_NANOS ? MIN_NANOS : SECOND_NANOS;
    while (endNanos / width > MAX_VALUES) {
      width *= 2;
    }
    return width;
  }

  private int binOf(long atNanos) {
    while (atNanos / binNanos >= MAX_BINS) {
      widen();
    }
    int bin = (int) (atNanos / binNanos);
    if (bin >= bins.length) {
      bins = Arrays.copyOf(bins, Math.min(MAX_BINS, Math.max(2 * bins.length, bin + 1)));
    }
    return bin;
  }

  /** Bins are of 100 ms, or of seconds, so that the bins of one run fit into those of another. */
  private void widen() {
    int factor = binNanos == MIN_NANOS ? (int) (SECOND_NANOS / MIN_NANOS) : 2;
    for (int bin = 0; bin < used; bin++) {
      double count = bins[bin];
      bins[bin] = 0;
      bins[bin / factor] += count;
    }
    used = (used + factor - 1) / factor;
    binNanos *= factor;
  }
}
