package dev.reprise.lab.figure;

import dev.reprise.core.InvalidSettingException;

/**
 * Counts by span of a run, from its start: in wide bins up to a moment, and in narrow ones from
 * there. Counts need not be whole: a fluid has parts of devices. The array is not copied: the
 * caller must not change it afterwards.
 *
 * @param pastSeconds the width of the bins before that moment, more than 0; the last of them ends
 *     with it
 * @param past how many bins lie before it, at least 0
 * @param startSeconds the moment, at least 0
 * @param binSeconds the width of a bin from there on, more than 0
 * @param counts of each bin; nothing happened after the last
 */
public record TimeBins(
    double pastSeconds, int past, double startSeconds, double binSeconds, double[] counts) {
  /** Checks the widths of the bins. */
  public TimeBins {
    if (!(pastSeconds > 0)) {
      throw new InvalidSettingException("pastSeconds", pastSeconds, "must be > 0");
    }
    if (!(binSeconds > 0)) {
      throw new InvalidSettingException("binSeconds", binSeconds, "must be > 0");
    }
  }

  /** Makes bins that are all of the same width. */
  public TimeBins(double binSeconds, double[] counts) {
    this(binSeconds, 0, 0, binSeconds, counts);
  }

  /** Returns the sum of all bins. */
  public double total() {
    double total = 0;
    for (double count : counts) {
      total += count;
    }
    return total;
  }

  /** Returns when a bin begins, in seconds from the start of the run. */
  public double from(int bin) {
    return bin < past ? bin * pastSeconds : startSeconds + (bin - past) * binSeconds;
  }

  /** Returns how long a bin is, in seconds. */
  public double width(int bin) {
    return bin < past ? Math.min(pastSeconds, startSeconds - bin * pastSeconds) : binSeconds;
  }

  /** Returns the middle of a bin, in seconds from the start of the run. */
  public double middle(int bin) {
    return from(bin) + width(bin) / 2;
  }

  /**
   * Returns when the given number is reached, in seconds from the start of the run, as if what
   * happens in a bin happened evenly; infinite when it never is.
   */
  public double reaches(double number) {
    double before = 0;
    // Sums of parts of devices end a little below the whole.
    double target = number * (1 - 1e-9);
    for (int i = 0; i < counts.length; i++) {
      if (counts[i] > 0 && before + counts[i] >= target) {
        return from(i) + Math.max(0, target - before) / counts[i] * width(i);
      }
      before += counts[i];
    }
    return Double.POSITIVE_INFINITY;
  }

  /** Returns the sum of the bins that begin between two moments. */
  public double between(double fromSeconds, double toSeconds) {
    double sum = 0;
    for (int i = indexOf(fromSeconds); i < Math.min(indexOf(toSeconds), counts.length); i++) {
      sum += counts[i];
    }
    return sum;
  }

  /**
   * Returns the counts in wider bins of equal width from the start of the run.
   *
   * @param widerSeconds as wide as any bin, or wider
   * @param length how many of them; what comes later is put into the last
   */
  public double[] inBinsOf(double widerSeconds, int length) {
    double[] wider = new double[length];
    for (int i = 0; i < counts.length; i++) {
      wider[Math.min((int) (middle(i) / widerSeconds), length - 1)] += counts[i];
    }
    return wider;
  }

  /** Returns the width of the widest bin, in seconds. */
  public double widestSeconds() {
    return past > 0 ? Math.max(pastSeconds, binSeconds) : binSeconds;
  }

  /** Returns the index of the bin in which a moment lies. */
  int indexOf(double seconds) {
    // A moment that is meant to be a bin's start may be a rounding error before it.
    int later = (int) Math.floor((seconds - startSeconds) / binSeconds + 1e-6);
    return later >= 0 ? past + later : (int) Math.floor(seconds / pastSeconds + 1e-6);
  }
}
