package dev.reprise.lab.report;

import dev.reprise.common.text.HarmlessText;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * An axis of a plot: what is known of it apart from the values along it. Chart.js finds the rest,
 * its ends and its ticks. Not thread-safe.
 */
final class Axis {
  private final ObjectNode json = JsonNodeFactory.instance.objectNode();

  /**
   * Makes an axis that begins at 0 and reaches as far as the values.
   *
   * @param unit {@code s} for ticks at times, otherwise what stands behind its numbers
   */
  Axis(String unit) {
    json.put("unit", HarmlessText.replaced(unit));
  }

  /** Makes each step a factor; the axis then begins at the lowest value. */
  Axis logarithmic() {
    return logarithmicBeyond(1);
  }

  /** Makes each step a factor where all values are above 0 and lie further apart than this one. */
  Axis logarithmicBeyond(double factor) {
    json.set("evenUpTo", JsonText.number(factor));
    return this;
  }

  /** Leaves the unit away at the ticks. */
  Axis bare() {
    json.put("bare", true);
    return this;
  }

  /** Makes the axis begin here, whatever the values are. */
  Axis from(double value) {
    json.set("min", JsonText.number(value));
    return this;
  }

  /** Makes the axis end here, whatever the values are. */
  Axis to(double value) {
    json.set("max", JsonText.number(value));
    return this;
  }

  /** Makes the axis reach this value at least, so that plots with the same one can be compared. */
  Axis reaching(double value) {
    json.set("reach", JsonText.number(value));
    return this;
  }

  /** Names the values 0, 1, 2 and so on, which are all that the axis has. */
  Axis of(List<String> names) {
    ArrayNode all = json.putArray("names");
    names.forEach(name -> all.add(HarmlessText.replaced(name)));
    return this;
  }

  /** Returns whether values lie so far apart that an even axis would hide the smaller ones. */
  static boolean isWide(double lowest, double highest, double factor) {
    return lowest > 0 && highest > lowest * factor;
  }

  ObjectNode json() {
    return json;
  }
}
