package dev.reprise.lab.figure;

import java.util.Arrays;

/**
 * Counts the events of a fleet, most finely from its recovery on. The time before has as few bins
 * as a long outage allows; from that moment on bins are as narrow as asked for, and become ten
 * times as wide only when there are more than {@value #MAX_BINS} of them. So an outage of a month
 * blurs nothing after it.
 *
 * <p>Time is a number of units, whose length the caller chooses. Not thread-safe.
 */
public final class FleetBins {
  private static final int MAX_BINS = 2_000_000;
  private static final int MAX_PAST_BINS = 100_000;

  private final double unitSeconds;
  private final long startUnit;
  private final double startSeconds;
  private final long unitsPerPastBin;
  private final int past;
  private long unitsPerBin;
  private int bins;
  private double[] counts;

  /**
   * Creates empty bins.
   *
   * @param unitSeconds how long a unit is, more than 0
   * @param unitsPerBin the width of a bin, at least 1
   * @param startUnit the unit with which the narrow bins begin, at least 0
   * @param startSeconds when it begins
   */
  public FleetBins(double unitSeconds, long unitsPerBin, long startUnit, double startSeconds) {
    this.unitSeconds = unitSeconds;
    this.unitsPerBin = unitsPerBin;
    this.startUnit = startUnit;
    this.startSeconds = startSeconds;
    long width = unitsPerBin;
    while (startUnit / width >= MAX_PAST_BINS) {
      width *= 10;
    }
    this.unitsPerPastBin = width;
    this.past = (int) ((startUnit + width - 1) / width);
    this.bins = past;
    this.counts = new double[past + 1_024];
  }

  /** Counts what happened in a unit. */
  public void add(long unit, double count) {
    int bin = binOf(unit);
    counts[bin] += count;
    bins = Math.max(bins, bin + 1);
  }

  /** Counts the same in each unit from one to before another. */
  public void add(long fromUnit, long toUnit, double countEach) {
    // Makes the bins as wide as they must be before the first of them is looked up.
    binOf(Math.max(fromUnit, toUnit - 1));
    for (long unit = fromUnit; unit < toUnit; ) {
      int bin = binOf(unit);
      long end = Math.min(toUnit, endOf(bin));
      add(unit, countEach * (end - unit));
      unit = end;
    }
  }

  private long endOf(int bin) {
    return bin < past
        ? Math.min(startUnit, (bin + 1) * unitsPerPastBin)
        : startUnit + (bin - past + 1) * unitsPerBin;
  }

  private int binOf(long unit) {
    if (unit < startUnit) {
      return (int) (unit / unitsPerPastBin);
    }
    while ((unit - startUnit) / unitsPerBin >= MAX_BINS) {
      widen();
    }
    int bin = past + (int) ((unit - startUnit) / unitsPerBin);
    if (bin >= counts.length) {
      counts = Arrays.copyOf(counts, Math.min(past + MAX_BINS, Math.max(bin + 1, 2 * bin)));
    }
    return bin;
  }

  private void widen() {
    for (int i = past; i < bins; i++) {
      double count = counts[i];
      counts[i] = 0;
      counts[past + (i - past) / 10] += count;
    }
    bins = past + (bins - past + 9) / 10;
    unitsPerBin *= 10;
  }

  /** Returns what was counted. */
  public TimeBins toBins() {
    return new TimeBins(
        unitsPerPastBin * unitSeconds,
        past,
        startSeconds,
        unitsPerBin * unitSeconds,
        Arrays.copyOf(counts, bins));
  }
}
