package dev.reprise.server.cli;

import dev.reprise.lab.figure.Amounts;
import dev.reprise.lab.report.SweepResult;
import dev.reprise.lab.scenario.RateText;
import dev.reprise.lab.scenario.SpanText;
import dev.reprise.lab.scenario.Variant;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;

/**
 * The values of a sweep as numbers, so that a chart can have an axis.
 *
 * @param unit s, /s, or empty
 */
record LabSweepValues(String unit) {
  /**
   * Finds out what the values are.
   *
   * @throws Failure when they have no common unit
   */
  static LabSweepValues of(List<Variant> variants) {
    List<String> units = variants.stream().map(each -> unitOf(each.value())).distinct().toList();
    if (units.size() > 1 || variants.size() < 2) {
      throw Failure.wrongUsage(
          "--values must be at least two, all of them numbers, spans or rates");
    }
    LabSweepValues values = new LabSweepValues(units.get(0));
    Set<Double> seen = new HashSet<>();
    for (Variant variant : variants) {
      if (!seen.add(values.number(variant.value()))) {
        throw Failure.wrongUsage("--values has " + variant.value() + " twice: must differ");
      }
    }
    return values;
  }

  double number(String value) {
    Duration span = SpanText.read(value);
    if (span != null) {
      return Amounts.inSeconds(span);
    }
    OptionalDouble rate = RateText.read(value);
    return rate.isPresent() ? rate.getAsDouble() : Double.parseDouble(value);
  }

  List<SweepResult.Point> inOrder(List<SweepResult.Point> points) {
    return points.stream().sorted(Comparator.comparingDouble(SweepResult.Point::value)).toList();
  }

  private static String unitOf(String value) {
    if (SpanText.read(value) != null) {
      return "s";
    }
    if (RateText.read(value).isPresent()) {
      return "/s";
    }
    try {
      return Double.isFinite(Double.parseDouble(value)) ? "" : value;
    } catch (NumberFormatException e) {
      throw Failure.wrongUsage(
          "the sweep has the value "
              + value
              + ": must be a number, a span such as 16s or a rate such as 5000/s");
    }
  }
}
