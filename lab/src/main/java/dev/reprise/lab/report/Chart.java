package dev.reprise.lab.report;

import dev.reprise.lab.figure.Series;
import java.util.ArrayList;
import java.util.List;

/**
 * One plot, as SVG that is as wide as its place: horizontal places are shares of the width, and
 * vertical ones pixels, so that text keeps its size on a phone and on paper. Marks and numbers of
 * the vertical axis stand in the left margin. Not thread-safe.
 */
final class Chart {
  /** Units across a path: finer than the pixels of any screen. */
  private static final int ACROSS = 2000;

  /** Points of a path at most: a lowest and a highest for each pixel of a panel. */
  private static final int COLUMNS = 450;

  private static final int AXIS = 20;

  private final Scale x;
  private final Scale y;
  private final int height;
  private final Markup grid = new Markup();
  private final Markup paths = new Markup();
  private final Markup marks = new Markup();
  private final Markup labels = new Markup();
  private String margins = "--l:44px;--r:10px";

  Chart(Scale x, Scale y, int height) {
    this.x = x;
    this.y = y;
    this.height = height;
  }

  Chart margins(int left, int right) {
    margins = "--l:" + left + "px;--r:" + right + "px";
    return this;
  }

  Chart horizontalAxis(List<Tick> ticks) {
    for (Tick tick : ticks) {
      double place = x.at(tick.value());
      grid.empty(
          "line",
          "class",
          "tick",
          "x1",
          percent(place),
          "x2",
          percent(place),
          "y1",
          String.valueOf(height),
          "y2",
          String.valueOf(height + 4));
      String anchor = place < 0.02 ? "start" : place > 0.98 ? "end" : "middle";
      text(grid, tick.label(), percent(place), height + 16, anchor, "axis", "");
    }
    return this;
  }

  Chart verticalAxis(List<Tick> ticks) {
    for (Tick tick : ticks) {
      double down = down(tick.value());
      grid.empty(
          "line",
          "class",
          tick.value() == y.low() ? "base" : "grid",
          "x1",
          "0",
          "x2",
          "100%",
          "y1",
          Numbers.coordinate(down),
          "y2",
          Numbers.coordinate(down));
      grid.element(
          "text",
          tick.label(),
          "class",
          "axis",
          "x",
          "-6",
          "y",
          Numbers.coordinate(down + 4),
          "text-anchor",
          "end");
    }
    return this;
  }

  /** Shades a span of the horizontal axis. */
  Chart band(double from, double to, String style, String title) {
    double left = x.at(from);
    double right = x.at(to);
    if (right > left) {
      grid.open(
          "rect",
          "class",
          style,
          "x",
          percent(left),
          "width",
          percent(right - left),
          "y",
          "0",
          "height",
          String.valueOf(height));
      grid.element("title", title).close("rect");
    }
    return this;
  }

  /** Draws a series as a line through its bins. */
  Chart series(Series series, double shift, String style, String title) {
    paths.open("path", "class", style, "d", line(points(series, shift))).element("title", title);
    paths.close("path");
    return this;
  }

  /** Fills the plot below a series. */
  Chart area(Series series, double shift, String style) {
    List<double[]> points = points(series, shift);
    if (points.size() > 1) {
      int bottom = height * 10;
      String outline = line(points);
      paths.empty(
          "path",
          "class",
          style,
          "d",
          outline + "V" + bottom + "H" + across(points.get(0)[0]) + "Z");
    }
    return this;
  }

  /** Draws a line through points, in their order. */
  Chart line(List<double[]> points, String style, String title) {
    paths.open("path", "class", style, "d", line(points)).element("title", title).close("path");
    return this;
  }

  /** Fills the area between two lines with the same horizontal places. */
  Chart between(List<double[]> lower, List<double[]> upper, String style) {
    List<double[]> outline = new ArrayList<>(lower);
    for (int i = upper.size() - 1; i >= 0; i--) {
      outline.add(upper.get(i));
    }
    paths.empty("path", "class", style, "d", line(outline) + "Z");
    return this;
  }

  /** Draws a bar from the bottom. */
  Chart bar(double from, double to, double value, String title) {
    double top = down(value);
    double left = x.at(from);
    double right = x.at(to);
    marks.open(
        "rect",
        "class",
        "bar",
        "x",
        percent(left),
        "width",
        percent(right - left),
        "y",
        Numbers.coordinate(top),
        "height",
        Numbers.coordinate(height - top));
    marks.element("title", title).close("rect");
    return this;
  }

  Chart dot(double across, double up, double radius, String style, String title) {
    marks.open(
        "circle",
        "class",
        style,
        "cx",
        percent(x.at(across)),
        "cy",
        Numbers.coordinate(down(up)),
        "r",
        Numbers.coordinate(radius));
    marks.element("title", title).close("circle");
    return this;
  }

  /** Draws an interval. */
  Chart span(double from, double to, double up, String style, String title) {
    String down = Numbers.coordinate(down(up));
    marks.open(
        "line",
        "class",
        style,
        "x1",
        percent(x.at(from)),
        "x2",
        percent(x.at(to)),
        "y1",
        down,
        "y2",
        down);
    marks.element("title", title).close("line");
    return this;
  }

  /** Draws the line that the dots of a row stand on. */
  Chart rowLine(double up) {
    String down = Numbers.coordinate(down(up));
    grid.empty("line", "class", "grid", "x1", "0", "x2", "100%", "y1", down, "y2", down);
    return this;
  }

  /** Writes the name of a row in the left margin. */
  Chart rowName(String shortName, String name, double up) {
    grid.open(
        "text",
        "class",
        "label",
        "x",
        "-10",
        "y",
        Numbers.coordinate(down(up) + 4),
        "text-anchor",
        "end");
    grid.text(shortName).element("title", name).close("text");
    return this;
  }

  /** Draws a vertical mark over the whole height. */
  Chart rule(double across, String style, String title) {
    String place = percent(x.at(across));
    marks.open(
        "line", "class", style, "x1", place, "x2", place, "y1", "0", "y2", String.valueOf(height));
    marks.element("title", title).close("line");
    return this;
  }

  /** Writes at a value, moved by pixels. */
  Chart label(
      String label, double across, double up, int right, int down, String anchor, String style) {
    text(
        labels,
        label,
        percent(x.at(across)),
        down(up) + down,
        anchor,
        style,
        right == 0 ? "" : String.valueOf(right));
    return this;
  }

  /** Returns where a value is, in pixels from the top. */
  double down(double value) {
    return height * (1 - y.at(value));
  }

  /** Returns the drawing; the label describes it to readers who cannot see it. */
  String svg(String label) {
    Markup svg = new Markup();
    svg.open(
        "svg",
        "class",
        "chart",
        "role",
        "img",
        "aria-label",
        label,
        "height",
        String.valueOf(height + AXIS),
        "style",
        margins,
        "data-x",
        described(x),
        "data-y",
        described(y));
    svg.raw(grid.toString());
    svg.open(
            "svg",
            "class",
            "paths",
            "width",
            "100%",
            "height",
            String.valueOf(height),
            "viewBox",
            "0 0 " + ACROSS + " " + height * 10,
            "preserveAspectRatio",
            "none")
        .raw(paths.toString())
        .close("svg");
    return svg.raw(marks.toString()).raw(labels.toString()).close("svg").line().toString();
  }

  /** The values that the script of the page reads off the lines. */
  private static String described(Scale scale) {
    return Numbers.exactText(scale.low())
        + " "
        + Numbers.exactText(scale.high())
        + (scale.logarithmic() ? " log" : "");
  }

  private void text(
      Markup target,
      String label,
      String across,
      double down,
      String anchor,
      String style,
      String dx) {
    List<String> attributes =
        new ArrayList<>(
            List.of(
                "class", style, "x", across, "y", Numbers.coordinate(down), "text-anchor", anchor));
    if (!dx.isEmpty()) {
      attributes.addAll(List.of("dx", dx));
    }
    target.element("text", label, attributes.toArray(String[]::new));
  }

  /** The points of a series that are in the plot: the lowest and the highest of each column. */
  private List<double[]> points(Series series, double shift) {
    List<double[]> points = new ArrayList<>();
    double[] values = series.values();
    int column = -1;
    int lowest = -1;
    int highest = -1;
    for (int i = 0; i < values.length; i++) {
      double at = (i + 0.5) * series.binSeconds() - shift;
      if (at < x.low() || at > x.high() || !Double.isFinite(values[i])) {
        continue;
      }
      int here = (int) (x.at(at) * COLUMNS);
      if (here != column) {
        addBoth(points, series, shift, lowest, highest);
        column = here;
        lowest = i;
        highest = i;
      }
      lowest = values[i] < values[lowest] ? i : lowest;
      highest = values[i] > values[highest] ? i : highest;
    }
    addBoth(points, series, shift, lowest, highest);
    addEdges(points, series);
    return points;
  }

  /** A bin lasts from its edge to its edge, not from its middle: nothing is left out at either. */
  private void addEdges(List<double[]> points, Series series) {
    if (points.isEmpty()) {
      return;
    }
    double half = series.binSeconds() / 2;
    double[] first = points.get(0);
    double[] last = points.get(points.size() - 1);
    double start = Math.max(first[0] - half, x.low());
    double end = Math.min(last[0] + half, x.high());
    if (start < first[0]) {
      points.add(0, new double[] {start, first[1]});
    }
    if (end > last[0]) {
      points.add(new double[] {end, last[1]});
    }
  }

  private static void addBoth(
      List<double[]> points, Series series, double shift, int lowest, int highest) {
    if (lowest < 0) {
      return;
    }
    for (int i : new int[] {Math.min(lowest, highest), Math.max(lowest, highest)}) {
      double[] point = {(i + 0.5) * series.binSeconds() - shift, series.values()[i]};
      if (points.isEmpty() || points.get(points.size() - 1)[0] < point[0]) {
        points.add(point);
      }
    }
  }

  private String line(List<double[]> points) {
    StringBuilder d = new StringBuilder();
    int lastAcross = 0;
    int lastDown = 0;
    for (double[] point : points) {
      int across = across(point[0]);
      int down = (int) Math.round(down(point[1]) * 10);
      if (d.length() == 0) {
        d.append('M').append(across).append(' ').append(down);
      } else if (across != lastAcross || down != lastDown) {
        d.append('l').append(across - lastAcross);
        d.append(down < lastDown ? "" : " ").append(down - lastDown);
      }
      lastAcross = across;
      lastDown = down;
    }
    return d.toString();
  }

  private int across(double value) {
    return (int) Math.round(x.at(value) * ACROSS);
  }

  private static String percent(double share) {
    return share == 0 ? "0" : Numbers.coordinate(share * 100) + "%";
  }
}
