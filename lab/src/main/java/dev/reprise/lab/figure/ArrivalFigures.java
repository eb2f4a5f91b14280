package dev.reprise.lab.figure;

import java.util.Map;

/**
 * The figures of a run that depend on its arrivals only: peaks and rhythm. See {@link FleetFigures}
 * for what they are. Not thread-safe.
 */
public final class ArrivalFigures {
  private static final double BLOCK_SECONDS = 10;

  /** The rhythm is that of counts in 100 ms; rounding may make them a little more. */
  private static final double MAX_BIN_SECONDS = 0.1001;

  private final TimeBins arrivals;
  private final double recoverySeconds;
  private final double endSeconds;
  private final Map<Figure, Double> figures;

  /**
   * Prepares the figures of a run.
   *
   * @param arrivals all attempts
   * @param recoverySeconds from when on the second part counts, at least 0
   * @param endSeconds until when it counts
   * @param figures where they are put
   */
  public ArrivalFigures(
      TimeBins arrivals, double recoverySeconds, double endSeconds, Map<Figure, Double> figures) {
    this.arrivals = arrivals;
    this.recoverySeconds = recoverySeconds;
    this.endSeconds = endSeconds;
    this.figures = figures;
  }

  /**
   * Puts {@code peakDuringOutage}, {@code peakAfterRecovery} and {@code peakToMean}.
   *
   * @param attemptsAfterRecovery the part of the arrivals that came at recovery or later
   */
  public void peaks(double attemptsAfterRecovery) {
    int recovery = arrivals.indexOf(recoverySeconds);
    int window = Math.max(1, (int) Math.round(1 / arrivals.binSeconds()));
    double during = 0;
    for (int end = recovery; end > 0; end -= window) {
      during = Math.max(during, perSecond(Math.max(0, end - window), end));
    }
    double after = 0;
    for (int from = recovery; from < arrivals.counts().length; from += window) {
      after = Math.max(after, perSecond(from, from + window));
    }
    peaks(during, after, attemptsAfterRecovery);
  }

  /** Puts the same, with peaks that were found while the run went on. */
  void peaks(double during, double after, double attemptsAfterRecovery) {
    if (arrivals.indexOf(recoverySeconds) > 0) {
      figures.put(Figure.PEAK_DURING_OUTAGE, during);
    }
    figures.put(Figure.PEAK_AFTER_RECOVERY, after);
    double meanAfter = attemptsAfterRecovery / (endSeconds - recoverySeconds);
    if (meanAfter > 0 && meanAfter < Double.POSITIVE_INFINITY) {
      figures.put(Figure.PEAK_TO_MEAN, after / meanAfter);
    }
  }

  /** Returns the rate over a whole window, also where the run ended within it. */
  private double perSecond(int from, int to) {
    double[] counts = arrivals.counts();
    double sum = 0;
    for (int i = from; i < Math.min(to, counts.length); i++) {
      sum += counts[i];
    }
    return sum / ((to - from) * arrivals.binSeconds());
  }

  /**
   * Puts {@code dispersion} and {@code strongestLine}; neither when the run was too long for its
   * bins to be as narrow as these figures ask.
   *
   * @param fluid true when the counts are expectations, without the scatter of chance
   */
  public void rhythm(boolean fluid) {
    if (arrivals.binSeconds() > MAX_BIN_SECONDS) {
      return;
    }
    int from = Math.min(arrivals.indexOf(recoverySeconds), arrivals.counts().length);
    int to = Math.min(arrivals.indexOf(endSeconds) + 1, arrivals.counts().length);
    dispersion(from, to, fluid);
    figures.put(
        Figure.STRONGEST_LINE,
        SpectralLine.strongest(arrivals.counts(), from, to) * arrivals.binSeconds());
  }

  private void dispersion(int from, int to, boolean fluid) {
    int block = Math.max(2, (int) Math.round(BLOCK_SECONDS / arrivals.binSeconds()));
    double variances = 0;
    double means = 0;
    for (int start = from; start < to; start += block) {
      // Where the run ends within a block, the bins after it are empty as they truly were.
      double sum = 0;
      double squares = 0;
      for (int i = start; i < Math.min(start + block, to); i++) {
        double count = arrivals.counts()[i];
        sum += count;
        squares += count * count;
      }
      variances += (squares - sum * sum / block) / (block - 1);
      means += sum / block;
    }
    if (means > 0) {
      figures.put(Figure.DISPERSION, variances / means + (fluid ? 1 : 0));
    }
  }
}
