package dev.reprise.lab.report;

import dev.reprise.lab.figure.PolicyResult;
import java.util.List;
import java.util.Objects;

/**
 * What policies did as one value of a scenario changed.
 *
 * @param parameter what was changed, such as {@code quota.perSecond}
 * @param unit of the value, such as {@code /s}; empty for a count
 * @param points in the order of their values, at least two
 */
public record SweepResult(String parameter, String unit, List<Point> points) {
  /** Copies the points and checks their order. */
  public SweepResult {
    Objects.requireNonNull(parameter, "parameter");
    Objects.requireNonNull(unit, "unit");
    points = List.copyOf(points);
    if (points.size() < 2) {
      throw new IllegalArgumentException("points has " + points.size() + ": must have at least 2");
    }
    for (int i = 1; i < points.size(); i++) {
      if (!(points.get(i - 1).value() < points.get(i).value())) {
        throw new IllegalArgumentException(
            "points[" + i + "] is " + points.get(i).value() + ": must be above the one before it");
      }
    }
  }

  /**
   * One value.
   *
   * @param value of the parameter
   * @param results one for each policy, with the same names at every point
   */
  public record Point(double value, List<PolicyResult> results) {
    /** Copies the results. */
    public Point {
      results = List.copyOf(results);
    }
  }
}
