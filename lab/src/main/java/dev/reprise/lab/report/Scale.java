package dev.reprise.lab.report;

import dev.reprise.core.InvalidSettingException;

/**
 * Maps values to a line from 0 to 1, evenly or by their logarithm.
 *
 * @param low what is at 0; more than 0 when logarithmic
 * @param high what is at 1, more than {@code low}
 * @param logarithmic whether each step is a factor
 */
record Scale(double low, double high, boolean logarithmic) {
  Scale {
    if (!(low < high) || (logarithmic && !(low > 0))) {
      throw new InvalidSettingException("low", low, "must be below high, " + high);
    }
  }

  /** An even scale from 0 to the next round number. */
  static Scale fromZero(double highest) {
    double step = roundStep(highest > 0 ? highest : 1, 4);
    return new Scale(0, Math.max(step, Math.ceil(highest / step - 1e-9) * step), false);
  }

  /** A logarithmic scale over whole decades. */
  static Scale decades(double lowest, double highest) {
    double low = StrictMath.pow(10, Math.floor(StrictMath.log10(lowest) + 1e-9));
    double high = StrictMath.pow(10, Math.ceil(StrictMath.log10(highest) - 1e-9));
    return new Scale(low, Math.max(high, low * 10), true);
  }

  /** Returns where a value is, 0 to 1; what is outside is at the end. */
  double at(double value) {
    double place =
        logarithmic
            ? value <= 0
                ? 0
                : (StrictMath.log10(value) - StrictMath.log10(low))
                    / (StrictMath.log10(high) - StrictMath.log10(low))
            : (value - low) / (high - low);
    return Math.max(0, Math.min(1, place));
  }

  /** The round number that cuts a length into at most as many pieces. */
  private static double roundStep(double length, int pieces) {
    double raw = length / pieces;
    double decade = StrictMath.pow(10, Math.floor(StrictMath.log10(raw)));
    for (double step : new double[] {1, 2, 2.5, 5}) {
      if (step * decade >= raw * (1 - 1e-9)) {
        return step * decade;
      }
    }
    return 10 * decade;
  }

  /** A number as short as can be: 1.5k, 2M. */
  static String compact(double value) {
    double magnitude = Math.abs(value);
    if (magnitude >= 1e9) {
      return Numbers.shown(value / 1e9) + "G";
    }
    if (magnitude >= 1e6) {
      return Numbers.shown(value / 1e6) + "M";
    }
    return magnitude >= 1e4 ? Numbers.shown(value / 1e3) + "k" : Numbers.shown(value);
  }

  /** A time as short as can be. */
  static String time(double seconds) {
    if (seconds > 0 && seconds < 1) {
      return Numbers.shown(seconds * 1000) + "\u00a0ms";
    }
    if (seconds >= 3600 && seconds % 360 == 0) {
      return Numbers.shown(seconds / 3600) + "\u00a0h";
    }
    if (seconds >= 60 && seconds % 60 == 0) {
      return Numbers.shown(seconds / 60) + "\u00a0min";
    }
    return seconds == 0 ? "0" : Numbers.shown(seconds) + "\u00a0s";
  }
}
