package dev.reprise.server.cli.lab;

import dev.reprise.lab.figure.Amounts;
import dev.reprise.lab.figure.PolicyResult;
import dev.reprise.lab.report.SweepResult;
import dev.reprise.lab.scenario.RateText;
import dev.reprise.lab.scenario.SpanText;
import dev.reprise.lab.scenario.Variant;
import dev.reprise.server.cli.base.Failure;
import dev.reprise.server.cli.base.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The values of a sweep as numbers, so that a chart can have an axis, or as names where they are
 * words or objects.
 *
 * @param unit s, /s, or empty
 * @param named whether they are no numbers with a common unit
 */
record LabSweepValues(String unit, boolean named) {
  /**
   * Finds out what the values are.
   *
   * @throws Failure when there are fewer than two, or two are the same
   */
  static LabSweepValues of(List<Variant> variants) {
    if (variants.size() < 2) {
      throw Failure.wrongUsage("--values must be at least two");
    }
    Set<String> units = new HashSet<>();
    for (Variant variant : variants) {
      String unit = unitOf(variant.value());
      units.add(unit == null ? variant.value() : unit);
    }
    String first = unitOf(variants.get(0).value());
    LabSweepValues values =
        first == null || units.size() > 1
            ? new LabSweepValues("", true)
            : new LabSweepValues(first, false);
    Set<Object> seen = new HashSet<>();
    for (Variant variant : variants) {
      Object value = values.named ? name(variant.value()) : number(variant.value());
      if (!seen.add(value)) {
        throw Failure.wrongUsage("--values has " + variant.value() + " twice: must differ");
      }
    }
    return values;
  }

  /**
   * Returns a point of the sweep.
   *
   * @param place of the value among the others
   */
  SweepResult.Point point(int place, Variant variant, List<PolicyResult> results) {
    return named
        ? new SweepResult.Point(place, name(variant.value()), results)
        : new SweepResult.Point(number(variant.value()), results);
  }

  /** Names stay in the order in which they were given. */
  static List<SweepResult.Point> inOrder(List<SweepResult.Point> points) {
    return points.stream().sorted(Comparator.comparingDouble(SweepResult.Point::value)).toList();
  }

  private static double number(String value) {
    Duration span = SpanText.read(value);
    if (span != null) {
      return Amounts.inSeconds(span);
    }
    OptionalDouble rate = RateText.read(value);
    return rate.isPresent() ? rate.getAsDouble() : Double.parseDouble(value);
  }

  /** Returns an object as its fields in words, such as {@code fixed, delay 30s}. */
  private static String name(String value) {
    JsonNode json = value.startsWith("{") ? Json.tryRead(value) : null;
    if (json == null || json.isEmpty()) {
      return value;
    }
    List<String> fields = new ArrayList<>();
    json.forEachEntry(
        (field, its) -> {
          String text = its.isString() ? its.stringValue() : its.toString();
          fields.add(field.equals("type") ? text : field + " " + text);
        });
    return String.join(", ", fields);
  }

  /** Returns the unit of a number, and null of anything else. */
  private static @Nullable String unitOf(String value) {
    if (SpanText.read(value) != null) {
      return "s";
    }
    if (RateText.read(value).isPresent()) {
      return "/s";
    }
    try {
      return Double.isFinite(Double.parseDouble(value)) ? "" : null;
    } catch (NumberFormatException noNumber) {
      return null;
    }
  }
}
