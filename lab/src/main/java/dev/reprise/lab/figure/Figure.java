package dev.reprise.lab.figure;

/**
 * The figures by which a run is judged. Each figure has one name, the same on the command line, in
 * JSON, CSV and HTML. "The floor" is N/C: what N devices need at least at a capacity of C a second.
 */
public enum Figure {
  DRAIN_P50("drainP50", "s", Better.LOWER, "from recovery until half of the devices are back"),
  DRAIN_P90("drainP90", "s", Better.LOWER, "from recovery until 90 % of the devices are back"),
  DRAIN_P99("drainP99", "s", Better.LOWER, "from recovery until 99 % of the devices are back"),
  DRAIN_P999("drainP999", "s", Better.LOWER, "from recovery until 99.9 % of the devices are back"),
  DRAIN_LAST("drainLast", "s", Better.LOWER, "from recovery until the last device is back"),
  DRAIN_RATIO("drainRatio", "", Better.LOWER, "drainLast by the floor N/C; 1 is perfect"),
  PEAK_DURING_OUTAGE(
      "peakDuringOutage", "/s", Better.LOWER, "most attempts in any second before recovery"),
  PEAK_AFTER_RECOVERY(
      "peakAfterRecovery", "/s", Better.LOWER, "most attempts in any second after recovery"),
  PEAK_RATIO("peakRatio", "", Better.LOWER, "peakAfterRecovery by capacity"),
  PEAK_TO_MEAN("peakToMean", "", Better.LOWER, "peakAfterRecovery by the mean until drained"),
  ATTEMPTS("attempts", "", Better.LOWER, "attempts for each device or call"),
  ATTEMPTS_AFTER_RECOVERY(
      "attemptsAfterRecovery", "", Better.LOWER, "attempts for each device after recovery"),
  WASTED_WORK("wastedWork", "", Better.LOWER, "share of the service's work that helped nobody"),
  GOODPUT("goodput", "", Better.HIGHER, "successes by the most that the service could have served"),
  SUCCESS("success", "", Better.HIGHER, "share of devices or calls that ended well"),
  STRANDED("stranded", "", Better.LOWER, "devices or calls that gave up"),
  JAIN_INDEX("jainIndex", "", Better.HIGHER, "Jain's fairness index of the waits; 1 is even"),
  WAIT_P99_TO_P50("waitP99ToP50", "", Better.LOWER, "longest waits beside the common one"),
  LAST_PERCENT_SHARE(
      "lastPercentShare",
      "",
      Better.LOWER,
      "share of the drain that the last 1 % of devices takes"),
  DISPERSION(
      "dispersion",
      "",
      Better.LOWER,
      "variance by mean of attempts in 100 ms; 1 is random, N a herd"),
  STRONGEST_LINE(
      "strongestLine", "s", Better.NONE, "period of the strongest beat of the attempts; 0: none"),
  HYSTERESIS(
      "hysteresis",
      "/s",
      Better.LOWER,
      "load at which it collapses less load at which it comes back"),
  COLLAPSED(
      "collapsed",
      "",
      Better.LOWER,
      "share of runs that collapsed: they had another state beside the good one, and were in it"),
  LATENCY_P50("latencyP50", "s", Better.LOWER, "half of the calls end within"),
  LATENCY_P99("latencyP99", "s", Better.LOWER, "99 % of the calls end within"),
  BYTES_PER_DEVICE("bytesPerDevice", "B", Better.LOWER, "bytes that a device sends to get back"),
  SERVER_CPU("serverCpu", "s", Better.LOWER, "work of the service for all attempts"),
  COST("cost", "", Better.LOWER, "price of all attempts"),
  FELT_OUTAGE("feltOutage", "s", Better.LOWER, "mean residual wait of a customer who comes by");

  /** The direction in which a figure is better. */
  public enum Better {
    LOWER,
    HIGHER,
    NONE
  }

  private final String key;
  private final String unit;
  private final Better better;
  private final String meaning;

  Figure(String key, String unit, Better better, String meaning) {
    this.key = key;
    this.unit = unit;
    this.better = better;
    this.meaning = meaning;
  }

  /** Returns the name in JSON, CSV, HTML and on the command line. */
  public String key() {
    return key;
  }

  /** Returns the unit; empty for a ratio or a count. */
  public String unit() {
    return unit;
  }

  /** Returns which direction is good. */
  public Better better() {
    return better;
  }

  /** Returns the highest value that it can have: 1 for a share, else infinity. The lowest is 0. */
  public double highest() {
    return switch (this) {
      case WASTED_WORK, GOODPUT, SUCCESS, JAIN_INDEX, LAST_PERCENT_SHARE, COLLAPSED -> 1;
      default -> Double.POSITIVE_INFINITY;
    };
  }

  /** Returns a description of the figure, in a few words. */
  public String meaning() {
    return meaning;
  }
}
