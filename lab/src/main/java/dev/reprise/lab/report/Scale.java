package dev.reprise.lab.report;

import dev.reprise.core.InvalidSettingException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleFunction;

/**
 * Maps values to a line from 0 to 1, evenly or by their logarithm.
 *
 * @param low what is at 0; more than 0 when logarithmic
 * @param high what is at 1, more than {@code low}
 * @param logarithmic whether each step is a factor
 */
record Scale(double low, double high, boolean logarithmic) {
  /** Steps between marks of a time axis, in seconds. */
  private static final double[] TIME_STEPS = {
    1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200,
    86_400
  };

  /** Marks of a logarithmic time axis, in seconds: those that people have a word for. */
  private static final double[] TIMES = {0.001, 0.01, 0.1, 1, 10, 60, 600, 3600, 36_000, 864_000};

  /** Further marks, where there is room. */
  private static final double[] MORE_TIMES = {
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600,
    1200, 1800, 3600, 7200, 18_000, 36_000, 86_400, 172_800, 432_000, 864_000
  };

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

  /** Logarithmic when the values lie apart by more than a factor, and none is 0. */
  static Scale spanning(double lowest, double highest, double factor) {
    return lowest > 0 && highest > lowest * factor ? padded(lowest, highest) : fromZero(highest);
  }

  private static Scale padded(double lowest, double highest) {
    return new Scale(lowest / 1.3, highest * 1.3, true);
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

  /** Returns the value at a place from 0 to 1. */
  double valueAt(double place) {
    return logarithmic ? low * StrictMath.pow(high / low, place) : low + place * (high - low);
  }

  /** Returns about as many marks as asked, at round values. */
  List<Tick> ticks(int wanted) {
    return logarithmic ? decadeTicks(wanted) : evenTicks(wanted);
  }

  /** Returns marks for seconds, at times that people count in. */
  List<Tick> timeTicks(int wanted) {
    if (logarithmic) {
      List<Tick> many = timesAt(MORE_TIMES);
      return many.size() <= wanted ? many : timesAt(TIMES);
    }
    for (double step : TIME_STEPS) {
      if ((high - low) / step <= wanted && (high - low) / step >= 1) {
        return at(step, value -> timeIn(high, value));
      }
    }
    return at(roundStep(high - low, wanted), Scale::time);
  }

  private List<Tick> timesAt(double... times) {
    List<Tick> ticks = new ArrayList<>();
    for (double time : times) {
      if (time >= low && time <= high) {
        ticks.add(new Tick(time, time(time)));
      }
    }
    return ticks;
  }

  private List<Tick> evenTicks(int wanted) {
    return at(roundStep(high - low, wanted), Scale::compact);
  }

  private List<Tick> at(double step, DoubleFunction<String> label) {
    List<Tick> ticks = new ArrayList<>();
    for (long i = (long) Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) {
      ticks.add(new Tick(i * step, label.apply(i * step)));
    }
    return ticks;
  }

  private List<Tick> decadeTicks(int wanted) {
    double decades = StrictMath.log10(high / low);
    int every = (int) Math.max(1, Math.ceil(decades / wanted));
    List<Tick> ticks = new ArrayList<>();
    int first = (int) Math.floor(StrictMath.log10(low));
    for (int exponent = first; exponent <= StrictMath.log10(high) + 1e-9; exponent += every) {
      for (double step : stepsOfDecade(decades, wanted)) {
        double value = Numbers.exact(step * StrictMath.pow(10, exponent)).doubleValue();
        if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) {
          ticks.add(new Tick(value, compact(value)));
        }
      }
    }
    return ticks;
  }

  private static double[] stepsOfDecade(double decades, int wanted) {
    if (decades < 0.7) {
      return new double[] {1, 1.5, 2, 3, 4, 5, 7};
    }
    if (decades * 3 <= wanted * 1.5) {
      return new double[] {1, 2, 5};
    }
    return decades * 2 <= wanted * 1.5 ? new double[] {1, 3} : new double[] {1};
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
    boolean hours = seconds >= 3600 && seconds % 360 == 0;
    boolean minutes = seconds >= 60 && seconds % 60 == 0;
    return timeIn(hours ? 3 * 3600 : minutes ? 600 : 1, seconds);
  }

  /** A time in the unit that suits an axis up to {@code highest}: all marks have the same. */
  private static String timeIn(double highest, double seconds) {
    if (seconds == 0) {
      return "0";
    }
    if (highest >= 3 * 3600) {
      return Numbers.shown(seconds / 3600) + "\u00a0h";
    }
    return highest >= 600
        ? Numbers.shown(seconds / 60) + "\u00a0min"
        : Numbers.shown(seconds) + "\u00a0s";
  }
}
