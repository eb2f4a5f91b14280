package dev.reprise.lab.figure;

import dev.reprise.core.InvalidSettingException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * A quantity over time, in bins of equal width from the start of the run. The array is not copied:
 * the caller must not change it afterwards.
 *
 * @param name the same in JSON, CSV and HTML: see the constants
 * @param unit what the values are in, such as {@code /s}
 * @param binSeconds the width of a bin, more than 0
 * @param values one for each bin
 */
public record Series(String name, String unit, double binSeconds, double[] values) {
  /** Attempts that reach the service, a second. */
  public static final String ARRIVALS = "arrivals";

  /** Attempts that succeed, a second. */
  public static final String SUCCESSES = "successes";

  /** Attempts that are refused or fail, a second. */
  public static final String FAILURES = "failures";

  /** Attempts that the service could serve, a second. */
  public static final String CAPACITY = "capacity";

  /** Devices that are connected. */
  public static final String CONNECTED = "connected";

  /** Requests that wait in the queue or are served. */
  public static final String QUEUE = "queue";

  /** Attempts of overactive devices, a second; they are not in {@link #ARRIVALS}. */
  public static final String OVERACTIVE = "overactive";

  /** First attempts, a second: the load that was offered. */
  public static final String OFFERED = "offered";

  /** Checks the width of the bins. */
  public Series {
    Objects.requireNonNull(name, "name");
    if (!(binSeconds > 0)) {
      throw new InvalidSettingException("binSeconds", binSeconds, "must be > 0");
    }
  }

  /** Returns how long the series is, in seconds. */
  public double lengthSeconds() {
    return binSeconds * values.length;
  }

  /**
   * Returns the same series in wider bins, each with the mean over its time. The last bin is
   * averaged over as much of it as the series covers.
   *
   * @param widerSeconds at least {@link #binSeconds}
   */
  public Series inBinsOf(double widerSeconds) {
    if (widerSeconds == binSeconds || values.length == 0) {
      return new Series(name, unit, widerSeconds, values);
    }
    if (!(widerSeconds > binSeconds)) {
      throw new InvalidSettingException(
          "widerSeconds", widerSeconds, "must be >= binSeconds, which is " + binSeconds);
    }
    double ratio = widerSeconds / binSeconds;
    // A length that is a whole number of bins but for rounding does not begin another one.
    double[] wider = new double[(int) Math.ceil(values.length / ratio - 1e-9)];
    for (int i = 0; i < wider.length; i++) {
      double from = i * ratio;
      double to = Math.min((i + 1) * ratio, values.length);
      double sum = 0;
      for (int j = (int) from; j < Math.min(Math.ceil(to), values.length); j++) {
        sum += values[j] * (Math.min(to, j + 1.0) - Math.max(from, j));
      }
      wider[i] = sum / (to - from);
    }
    return new Series(name, unit, widerSeconds, wider);
  }

  /** Averages series of one name; see {@link PolicyResult#meanSeries()}. */
  static Series mean(List<Series> series) {
    Series first = series.get(0);
    if (series.size() == 1) {
      return first;
    }
    double widest = series.stream().mapToDouble(Series::binSeconds).max().orElseThrow();
    List<Series> aligned = series.stream().map(one -> one.inBinsOf(widest)).toList();
    double[] sums = new double[aligned.stream().mapToInt(one -> one.values.length).max().orElse(0)];
    for (Series one : aligned) {
      for (int i = 0; i < sums.length; i++) {
        sums[i] += i < one.values.length ? one.values[i] : one.afterItsEnd();
      }
    }
    return new Series(
        first.name,
        first.unit,
        widest,
        Arrays.stream(sums).map(sum -> sum / series.size()).toArray());
  }

  private double afterItsEnd() {
    boolean rate = unit.equals("/s") && !name.equals(CAPACITY);
    return rate || values.length == 0 ? 0 : values[values.length - 1];
  }
}
