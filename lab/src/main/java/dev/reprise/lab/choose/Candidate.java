package dev.reprise.lab.choose;

import dev.reprise.lab.figure.Figure;
import dev.reprise.policy.StrategyPolicy;
import java.util.Map;

/**
 * A policy that was tried.
 *
 * @param name its family and numbers in words
 * @param policy what was solved
 * @param figures by the mean field; of a recommended one, of the whole fleet as simulated
 */
public record Candidate(String name, StrategyPolicy policy, Map<Figure, Double> figures) {
  /** Copies the figures. */
  public Candidate {
    figures = Map.copyOf(figures);
  }

  /** Returns a figure; infinite when it was never reached, 0 when it does not apply. */
  public double figure(Figure figure) {
    return figure(figures, figure);
  }

  static double figure(Map<Figure, Double> figures, Figure figure) {
    return figures.getOrDefault(figure, 0.0);
  }

  /**
   * Returns how far it is from the ideal, in which all devices come once, evenly, in N/C: {@code
   * drainRatio * attemptsAfterRecovery * peakRatio}, each at least 1. The ideal is 1; a service
   * that gives slots away reaches 2, for a device is refused once before it has one.
   */
  public double regret() {
    return regret(figures);
  }

  /** Returns the same of other figures, such as those of a simulation. */
  public static double regret(Map<Figure, Double> figures) {
    return Math.max(1, figure(figures, Figure.DRAIN_RATIO))
        * Math.max(1, figure(figures, Figure.ATTEMPTS_AFTER_RECOVERY))
        * Math.max(1, figure(figures, Figure.PEAK_RATIO));
  }

  boolean isDrained() {
    return figure(Figure.DRAIN_LAST) < Double.POSITIVE_INFINITY;
  }
}
