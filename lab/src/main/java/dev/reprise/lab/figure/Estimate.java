package dev.reprise.lab.figure;

import dev.reprise.core.InvalidSettingException;

/**
 * A figure over several runs: its mean and a 95 % confidence interval. With one run the interval is
 * the value itself. When any run never reached it, all three are infinite.
 *
 * <p>The interval is Student's t, cut where no figure can be: below 0, and for a share above 1. Of
 * what a run either did or did not, such as {@link Figure#COLLAPSED}, it is Wilson's for a binomial
 * proportion (1927), with one run as well.
 *
 * @param mean over the runs
 * @param lowest the lower end of the interval
 * @param highest the upper end of the interval
 * @param runs how many, at least 1
 */
public record Estimate(double mean, double lowest, double highest, int runs) {
  private static final double CONFIDENCE = 0.95;
  private static final double ROUNDING = 1e-9;

  /** The 97.5 % quantile of the normal distribution. */
  private static final double NORMAL = 1.959963984540054;

  /** Returns the estimate of a figure from its values in several runs, as {@link #of}. */
  static Estimate ofFigure(Figure figure, double... values) {
    return figure == Figure.COLLAPSED ? ofChance(values) : of(values).within(0, figure.highest());
  }

  /** Returns the estimate of the difference of a figure between policies, as {@link #of}. */
  static Estimate ofDifference(Figure figure, double... values) {
    return of(values).within(-figure.highest(), figure.highest());
  }

  /** Wilson's interval of a probability from what happened (1) or did not (0). */
  private static Estimate ofChance(double... values) {
    Estimate whole = of(values);
    double runs = values.length;
    double share = whole.mean;
    double square = NORMAL * NORMAL / runs;
    double middle = (share + square / 2) / (1 + square);
    double margin =
        NORMAL * Math.sqrt(share * (1 - share) / runs + square / runs / 4) / (1 + square);
    return new Estimate(
        share,
        share == 0 ? 0 : Math.max(0, middle - margin),
        share == 1 ? 1 : Math.min(1, middle + margin),
        values.length);
  }

  /** Cuts the interval; the mean is in it whatever the last digits of its sum. */
  private Estimate within(double least, double most) {
    return isReached() && hasInterval()
        ? new Estimate(
            mean,
            Math.min(mean, Math.max(least, lowest)),
            Math.max(mean, Math.min(most, highest)),
            runs)
        : this;
  }

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

  /** Returns whether the mean is in the middle of the interval: only then there is one margin. */
  public boolean isSymmetric() {
    double above = highest - mean;
    double below = mean - lowest;
    return Math.abs(above - below) <= ROUNDING * (above + below);
  }

  /** Returns whether 0 is outside the interval: as a difference, more than chance. */
  public boolean isBeyondChance() {
    return lowest > 0 || highest < 0;
  }
}
