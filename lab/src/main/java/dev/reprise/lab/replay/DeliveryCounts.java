package dev.reprise.lab.replay;

import dev.reprise.lab.figure.Distribution;
import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.figure.RunRecord;
import dev.reprise.lab.figure.Series;
import dev.reprise.lab.replay.AttemptLog.End;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Counts the ends of deliveries. Times are in nanoseconds from the start of the log. */
final class DeliveryCounts {
  private static final double SECOND_NANOS = 1e9;
  private static final int MAX_BINS = 2000;
  private static final double[] ATTEMPT_BOUNDS = {
    1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100, 1000, Double.POSITIVE_INFINITY
  };
  private static final double[] WAIT_BOUNDS = {
    0.1,
    0.2,
    0.5,
    1,
    2,
    5,
    10,
    20,
    60,
    120,
    300,
    600,
    1800,
    3600,
    7200,
    21_600,
    86_400,
    Double.POSITIVE_INFINITY
  };

  private final double binSeconds;
  private final double[] arrivals;
  private final double[] successes;
  private final double[] failures;
  private final long[] attemptCounts = new long[ATTEMPT_BOUNDS.length];
  private final long[] waitCounts = new long[WAIT_BOUNDS.length];
  private final double[] waits;
  private int delivered;
  private int givenUp;
  private int deliveries;
  private long attempts;
  private long failed;

  /**
   * Creates counts of zero.
   *
   * @param deliveries how many there will be
   * @param spanNanos what the series show
   */
  DeliveryCounts(int deliveries, long spanNanos) {
    waits = new double[deliveries];
    double seconds = spanNanos / SECOND_NANOS;
    binSeconds = Math.max(1, Math.ceil(seconds / MAX_BINS));
    int bins = (int) (seconds / binSeconds) + 1;
    arrivals = new double[bins];
    successes = new double[bins];
    failures = new double[bins];
  }

  void attempt(long startNanos, boolean succeeded) {
    attempts++;
    failed += succeeded ? 0 : 1;
    int bin = (int) (startNanos / SECOND_NANOS / binSeconds);
    if (bin < arrivals.length) {
      arrivals[bin]++;
      (succeeded ? successes : failures)[bin]++;
    }
  }

  /** Counts attempts that were made, and of which the recording has forgotten when. */
  void forgottenFailures(int count) {
    attempts += count;
    failed += count;
  }

  void end(End end, long waitNanos, int attemptsMade) {
    deliveries++;
    attemptCounts[rangeOf(ATTEMPT_BOUNDS, attemptsMade)]++;
    switch (end) {
      case DELIVERED -> {
        double wait = waitNanos / SECOND_NANOS;
        waits[delivered++] = wait;
        waitCounts[rangeOf(WAIT_BOUNDS, wait)]++;
      }
      case GIVEN_UP -> givenUp++;
      case OPEN -> {
        // Neither well nor badly ended.
      }
    }
  }

  private static int rangeOf(double[] bounds, double value) {
    int at = Arrays.binarySearch(bounds, value);
    return at >= 0 ? at : -at - 1;
  }

  RunRecord record(long seed) {
    Map<Figure, Double> figures = new EnumMap<>(Figure.class);
    figures.put(Figure.SUCCESS, (double) delivered / deliveries);
    figures.put(Figure.STRANDED, (double) givenUp);
    figures.put(Figure.ATTEMPTS, (double) attempts / deliveries);
    figures.put(Figure.WASTED_WORK, (double) failed / attempts);
    Arrays.sort(waits, 0, delivered);
    figures.put(Figure.LATENCY_P50, quantile(0.5));
    figures.put(Figure.LATENCY_P99, quantile(0.99));
    return new RunRecord(
        seed,
        figures,
        List.of(
            series(Series.ARRIVALS, arrivals),
            series(Series.SUCCESSES, successes),
            series(Series.FAILURES, failures)),
        List.of(
            new Distribution(Distribution.ATTEMPTS, "", ATTEMPT_BOUNDS.clone(), attemptCounts),
            new Distribution(Distribution.WAITS, "s", WAIT_BOUNDS.clone(), waitCounts)),
        attempts);
  }

  private double quantile(double share) {
    return delivered == 0
        ? Double.POSITIVE_INFINITY
        : waits[(int) Math.min(delivered - 1, Math.floor(share * delivered))];
  }

  private Series series(String name, double[] counts) {
    double[] perSecond = new double[counts.length];
    Arrays.setAll(perSecond, bin -> counts[bin] / binSeconds);
    return new Series(name, "/s", binSeconds, perSecond);
  }
}
