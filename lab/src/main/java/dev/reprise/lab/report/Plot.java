package dev.reprise.lab.report;

import dev.reprise.common.text.HarmlessText;
import dev.reprise.lab.figure.Distribution;
import dev.reprise.lab.figure.Estimate;
import dev.reprise.lab.figure.Series;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
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

  Plot(Axis x, Axis y, int height) {
    json.set("x", x.json());
    json.set("y", y.json());
    json.put("height", height);
  }

  /** Shades a span of the horizontal axis. */
  Plot band(double from, double to) {
    ObjectNode band = json.withArrayProperty("bands").addObject();
    band.set("from", JsonText.number(from)).set("to", JsonText.number(to));
    return this;
  }

  /** Draws a vertical mark over the whole height, with a name at its top. */
  Plot rule(double at, String name) {
    add("rules", name).set("at", JsonText.number(at));
    return this;
  }

  /**
   * Draws a series, as a line or an area.
   *
   * @param from the time at which the axis begins, in seconds
   * @param until the time after which nothing of it is shown, in seconds
   */
  Plot series(Series series, double from, double until, String style, int policy, String name) {
    double width = series.binSeconds();
    int shown = (int) Math.ceil(until / width);
    Series drawn = series.inBinsOf(width * Math.max(1, (shown + BINS - 1) / BINS));
    ObjectNode line = add("lines", name).put("style", style).put("policy", policy);
    line.set("bin", JsonText.number(drawn.binSeconds()));
    line.set("from", JsonText.number(from));
    ArrayNode values = line.putArray("values");
    int last = (int) Math.ceil(until / drawn.binSeconds());
    for (int i = 0; i < Math.min(drawn.values().length, last); i++) {
      addTo(values, drawn.values()[i]);
    }
    return this;
  }

  /**
   * Draws a line through points, in their order.
   *
   * @param points across and up, and perhaps both ends of the range that is known of the latter
   */
  Plot line(List<double[]> points, String style, int policy, String name) {
    ArrayNode line =
        add("lines", name).put("style", style).put("policy", policy).putArray("points");
    for (double[] point : points) {
      ArrayNode values = line.addArray();
      Arrays.stream(point).forEach(value -> values.add(JsonText.number(value)));
    }
    return this;
  }

  /** Draws a distribution as a histogram: its ranges, and how many fell into each. */
  Plot histogram(Distribution distribution, int policy) {
    ObjectNode histogram = json.putObject("histogram").put("policy", policy);
    ArrayNode bounds = histogram.putArray("bounds");
    ArrayNode counts = histogram.putArray("counts");
    for (int i = 0; i < distribution.counts().length; i++) {
      bounds.add(JsonText.number(distribution.upperBounds()[i]));
      counts.add(distribution.counts()[i]);
    }
    return this;
  }

  /**
   * Draws a value and the range that is known of it in the next row.
   *
   * @param estimate null where there is no value; of one that is never reached, only the text shows
   * @param highest the upper end of the range
   */
  Plot row(@Nullable Estimate estimate, double highest, String text, boolean best, String title) {
    ObjectNode row = add("rows", title).put("text", HarmlessText.replaced(text)).put("best", best);
    if (estimate != null) {
      row.set("mean", JsonText.number(estimate.mean()));
      row.set("low", JsonText.number(estimate.lowest())).set("high", JsonText.number(highest));
    }
    return this;
  }

  /** Draws a dot, with an area by its size among the others. */
  Plot bubble(double across, double up, double size, Outcome outcome, String title) {
    ObjectNode bubble = add("bubbles", title).put("policy", outcome.index());
    bubble.put("label", HarmlessText.replaced(outcome.name()));
    bubble.set("x", JsonText.number(across)).set("y", JsonText.number(up));
    bubble.set("size", JsonText.number(size));
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
