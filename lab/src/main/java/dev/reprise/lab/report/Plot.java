package dev.reprise.lab.report;

import dev.reprise.common.text.HarmlessText;
import dev.reprise.lab.figure.Series;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * One plot as data: its axes and what stands between them. The script of the page has Chart.js draw
 * it, in the styles that it knows by their names. Not thread-safe.
 */
final class Plot {
  /** No eye tells more digits apart, and values are most of a page. */
  private static final MathContext DRAWN = new MathContext(5);

  /** Bins of a line at most: longer ones are averaged into wider bins. */
  private static final int BINS = 2000;

  private final ObjectNode json = JsonNodeFactory.instance.objectNode();
  private final Axis x;

  /**
   * An axis.
   *
   * @param scale what it spans
   * @param unit {@code s} for marks at times, otherwise what stands behind its numbers
   */
  record Axis(Scale scale, String unit) {
    private ObjectNode json() {
      ObjectNode axis = JsonNodeFactory.instance.objectNode();
      axis.set("low", JsonText.number(scale.low()));
      axis.set("high", JsonText.number(scale.high()));
      axis.put("unit", HarmlessText.replaced(unit));
      return scale.logarithmic() ? axis.put("log", true) : axis;
    }
  }

  Plot(Axis x, Axis y, int height) {
    this.x = x;
    json.set("x", x.json());
    json.set("y", y.json());
    json.put("height", height);
  }

  /** Marks a value with a name; an axis with names has no other marks, unless it is told so. */
  Plot mark(String axis, double value, String name) {
    json.withObjectProperty(axis)
        .withArrayProperty("marks")
        .add(
            JsonNodeFactory.instance
                .arrayNode()
                .add(JsonText.number(value))
                .add(HarmlessText.replaced(name)));
    return this;
  }

  /** Ends the ordinary marks of the horizontal axis, beyond which only those with names stand. */
  Plot ordinaryUntil(double value) {
    json.withObjectProperty("x").set("until", JsonText.number(value));
    return this;
  }

  /** Shades a span of the horizontal axis. */
  Plot band(double from, double to, String name) {
    if (Math.min(to, x.scale().high()) > Math.max(from, x.scale().low())) {
      add("bands", name).set("from", JsonText.number(from)).set("to", JsonText.number(to));
    }
    return this;
  }

  /** Draws a vertical mark over the whole height, with a name at its top. */
  Plot rule(double at, String name) {
    add("rules", name).set("at", JsonText.number(at));
    return this;
  }

  /** Draws what a series tells of the time that is shown, as a line or an area. */
  Plot series(Series series, String style, int policy, String name) {
    double width = series.binSeconds();
    int shown = (int) Math.ceil(x.scale().high() / width);
    Series drawn = series.inBinsOf(width * Math.max(1, (shown + BINS - 1) / BINS));
    ObjectNode line = add("lines", name).put("style", style).put("policy", policy);
    line.set("bin", JsonText.number(drawn.binSeconds()));
    ArrayNode values = line.putArray("values");
    int last = (int) Math.ceil(x.scale().high() / drawn.binSeconds());
    for (int i = 0; i < Math.min(drawn.values().length, last); i++) {
      addTo(values, drawn.values()[i]);
    }
    return this;
  }

  /** Draws a line through points, in their order. */
  Plot line(List<double[]> points, String style, int policy, String name) {
    ArrayNode line =
        add("lines", name).put("style", style).put("policy", policy).putArray("points");
    for (double[] point : points) {
      line.addArray().add(JsonText.number(point[0])).add(JsonText.number(point[1]));
    }
    return this;
  }

  /** Draws a bar from the bottom. */
  Plot bar(double from, double to, double height, int policy, String title) {
    ObjectNode bar = add("bars", title).put("policy", policy);
    bar.set("from", JsonText.number(from)).set("to", JsonText.number(to));
    bar.set("height", JsonText.number(height));
    return this;
  }

  /** Draws a dot, with a text beside it that may be empty. */
  Plot dot(double across, double up, double radius, String style, int policy, String... texts) {
    ObjectNode dot = add("dots", texts[0]).put("style", style).put("policy", policy);
    dot.set("x", JsonText.number(across)).set("y", JsonText.number(up));
    dot.set("radius", JsonText.number(radius));
    if (texts.length > 1) {
      dot.put("label", HarmlessText.replaced(texts[1]));
    }
    return this;
  }

  /** Returns the plot as the script reads it. */
  ObjectNode json() {
    return json;
  }

  private ObjectNode add(String list, String name) {
    return json.withArrayProperty(list).addObject().put("name", HarmlessText.replaced(name));
  }

  private static void addTo(ArrayNode values, double value) {
    if (Double.isFinite(value)) {
      BigDecimal drawn = new BigDecimal(value).round(DRAWN).stripTrailingZeros();
      values.add(drawn.scale() < 0 ? drawn.setScale(0) : drawn);
    } else {
      values.addNull();
    }
  }
}
