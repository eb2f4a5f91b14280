package dev.reprise.lab.meanfield;

import dev.reprise.lab.figure.TimeBins;
import java.util.Arrays;

/**
 * Computes when the last device is back. A fluid runs dry slowly; of devices that come back one by
 * one and by chance, with {@code r(t)} of them left on average, none is left at t with probability
 * {@code exp(-r(t))}, so the expected moment of the last one is {@code ∫ (1 - exp(-r(t))) dt}.
 */
final class LastDevice {
  /** The expected number of devices from which on there is always at least one. */
  private static final double CROWD = 50;

  private LastDevice() {}

  /**
   * Returns the bins, with all later returns in the bin of that moment. No bin before the first
   * return counts, which the expectation alone does not tell of few devices.
   *
   * @param left devices that are in none of the bins
   */
  static TimeBins in(TimeBins returns, double left) {
    double[] counts = returns.counts();
    double remaining = left;
    double seconds = 0;
    double nobodyLeft = nobodyOf(left);
    for (int i = counts.length - 1; i >= 0; i--) {
      remaining += counts[i];
      double nobodyBefore = nobodyOf(remaining);
      seconds += returns.width(i) * (1 - (nobodyLeft + nobodyBefore) / 2);
      nobodyLeft = nobodyBefore;
    }
    int last = 0;
    while (last + 1 < counts.length && counts[last] == 0) {
      last++;
    }
    while (last + 1 < counts.length && endsEarlier(returns, last, seconds)) {
      last++;
    }
    double[] ended = Arrays.copyOf(counts, last + 1);
    for (int i = last + 1; i < counts.length; i++) {
      ended[last] += counts[i];
    }
    ended[last] += left;
    return new TimeBins(
        returns.pastSeconds(), returns.past(), returns.startSeconds(), returns.binSeconds(), ended);
  }

  /** Returns the probability that of so many on average there is none. */
  private static double nobodyOf(double devices) {
    return devices > CROWD ? 0 : StrictMath.exp(-devices);
  }

  private static boolean endsEarlier(TimeBins bins, int bin, double seconds) {
    return bins.from(bin) + 1.5 * bins.width(bin) <= seconds;
  }
}
