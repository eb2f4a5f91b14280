package dev.reprise.lab.report;

import dev.reprise.lab.figure.PolicyResult;
import dev.reprise.lab.kernel.Seconds;
import dev.reprise.lab.scenario.RateText;
import dev.reprise.lab.scenario.SpanText;
import dev.reprise.lab.scenario.Variant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The values of a sweep as numbers, so that a chart can have an axis, or as names where they are
 * words or objects.
 *
 * @param unit s, /s, or empty
 * @param named whether they are no numbers with a common unit
 */
public record SweepValues(String unit, boolean named) {
  /**
   * Finds the values of a sweep.
   *
   * @param variants of one sweep, at least one
   */
  public static SweepValues of(List<Variant> variants) {
    Set<String> units = new HashSet<>();
    for (Variant variant : variants) {
      String unit = unitOf(variant.value());
      units.add(unit == null ? variant.value() : unit);
    }
    String first = unitOf(variants.get(0).value());
    return first == null || units.size() > 1
        ? new SweepValues("", true)
        : new SweepValues(first, false);
  }

  /** Returns the first value that is there twice, in whatever unit, or null. */
  public @Nullable String repeated(List<Variant> variants) {
    Set<Object> seen = new HashSet<>();
    for (Variant variant : variants) {
      if (!seen.add(named ? name(variant.value()) : number(variant.value()))) {
        return variant.value();
      }
    }
    return null;
  }

  /**
   * Returns a point of the sweep.
   *
   * @param place of the value among the others
   * @param variant with the value
   * @param results of the variant, one for each policy
   */
  public SweepResult.Point point(int place, Variant variant, List<PolicyResult> results) {
    return named
        ? new SweepResult.Point(place, name(variant.value()), results)
        : new SweepResult.Point(number(variant.value()), results);
  }

  /** Returns the points by their values; names stay in the order in which they were given. */
  public static List<SweepResult.Point> inOrder(List<SweepResult.Point> points) {
    return points.stream().sorted(Comparator.comparingDouble(SweepResult.Point::value)).toList();
  }

  private static double number(String value) {
    Duration span = SpanText.read(value);
    if (span != null) {
      return Seconds.of(span);
    }
    OptionalDouble rate = RateText.read(value);
    return rate.isPresent() ? rate.getAsDouble() : Double.parseDouble(value);
  }

  /** Returns an object as its fields in words, such as {@code fixed, delay 30s}. */
  private static String name(String value) {
    JsonNode json = value.startsWith("{") ? object(value) : null;
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

  private static @Nullable JsonNode object(String value) {
    try {
      return JsonMapper.shared().readTree(value);
    } catch (JacksonException notJson) {
      return null;
    }
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
