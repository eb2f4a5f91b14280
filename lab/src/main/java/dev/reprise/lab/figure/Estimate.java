package dev.reprise.lab.figure;

import dev.reprise.core.InvalidSettingException;

/**
 * A figure over several runs: its mean and a 95 % confidence interval (Student's t). With one run
 * the interval is the value itself. When any run never reached it, all three are infinite.
 *
 * @param mean over the runs
 * @param lowest the lower end of the interval
 * @param highest the upper end of the interval
 * @param runs how many, at least 1
 */
public record Estimate(double mean, double lowest, double highest, int runs) {
  private static final double CONFIDENCE = 0.95;
  private static final double ROUNDING = 1e-9;

  /**
   * Returns the estimate from the values of several runs. If one is infinite, so is the estimate,
   * with its sign.
   *
   * @param values one for each run, at least one, none of them NaN
   */
  public static Estimate of(double... values) {
    if (values.length == 0) {
      throw new InvalidSettingException("values", "empty", "must have at least one");
    }
    double sum = 0;
    for (double value : values) {
      if (Double.isNaN(value)) {
        throw new IllegalArgumentException("values has NaN: must be numbers");
      }
      sum += value;
    }
    if (Double.isInfinite(sum)) {
      return new Estimate(sum, sum, sum, values.length);
    }
    double mean = sum / values.length;
    if (values.length == 1) {
      return new Estimate(mean, mean, mean, 1);
    }
    double squares = 0;
    for (double value : values) {
      squares += (value - mean) * (value - mean);
    }
    int degrees = values.length - 1;
    double margin =
        StudentT.twoSided(CONFIDENCE, degrees) * Math.sqrt(squares / degrees / values.length);
    // Sums in another order differ in their last digits, which is no scatter.
    return margin <= ROUNDING * Math.abs(mean)
        ? new Estimate(mean, mean, mean, values.length)
        : new Estimate(mean, mean - margin, mean + margin, values.length);
  }

  /** Returns whether every run reached it. */
  public boolean isReached() {
    return !Double.isInfinite(mean);
  }

  /** Returns whether there is an interval: several runs that did not all give the same. */
  public boolean hasInterval() {
    return lowest < highest;
  }

  /** Returns whether 0 is outside the interval: as a difference, more than chance. */
  public boolean isBeyondChance() {
    return lowest > 0 || highest < 0;
  }
}
