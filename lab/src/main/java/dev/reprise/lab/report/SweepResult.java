package dev.reprise.lab.report;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.lab.figure.PolicyResult;
import java.util.List;
import java.util.Objects;

/**
 * The results of policies at several values of one parameter of a scenario.
 *
 * @param parameter what was changed, such as {@code quota.perSecond}
 * @param unit of the value, such as {@code /s}; empty for a count, and for values that have names
 * @param points in the order of their values, at least two; all of them have names, or none
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
        throw new InvalidSettingException(
            "points[" + i + "]", points.get(i).value(), "must be above the one before it");
      }
      if (points.get(i - 1).name().isEmpty() != points.get(i).name().isEmpty()) {
        throw new InvalidSettingException(
            "points[" + i + "].name",
            "\"" + points.get(i).name() + "\"",
            "all must be empty, or none");
      }
    }
  }

  /** Returns whether the values are no numbers, so that nothing lies between two of them. */
  boolean isNamed() {
    return !points.get(0).name().isEmpty();
  }

  /** Returns a point's value as a reader has it: its name, or its number with the unit. */
  public String shown(int point) {
    Point one = points.get(point);
    return isNamed() ? one.name() : Numbers.shown(one.value(), unit);
  }

  /**
   * One value.
   *
   * @param value of the parameter; its place among the others when it has a name
   * @param name of a value that is no number, such as {@code slots}; empty for a number
   * @param results one for each policy, with the same names at every point
   */
  public record Point(double value, String name, List<PolicyResult> results) {
    /** Copies the results. */
    public Point {
      Objects.requireNonNull(name, "name");
      results = List.copyOf(results);
    }

    /** Makes the point of a number. */
    public Point(double value, List<PolicyResult> results) {
      this(value, "", results);
    }
  }
}
