package dev.reprise.lab.report;

import dev.reprise.common.text.HarmlessText;
import dev.reprise.lab.figure.Estimate;
import dev.reprise.lab.figure.Figure;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Key figures against a value that was changed, one line for each policy, with intervals. */
final class SweepCharts {
  private static final int HEIGHT = 220;

  /** Letters of the name of a value, below the axis. */
  private static final int MAX_NAME = 14;

  /** Pixels that names of lines keep apart. */
  private static final int APART = 15;

  private final Wording wording;
  private final SweepResult sweep;
  private final List<List<Outcome>> points;

  SweepCharts(Wording wording, SweepResult sweep) {
    this.wording = wording;
    this.sweep = sweep;
    this.points = sweep.points().stream().map(point -> Outcome.all(point.results())).toList();
  }

  String charts() {
    List<String> panels = new ArrayList<>();
    for (Figure figure : FigureCharts.KEY) {
      if (panels.size() < 4 && changes(figure)) {
        panels.add(panel(figure));
      }
    }
    return Panels.section(
        "sweep",
        "As " + sweep.parameter() + " changes",
        "Means with 95\u00a0% confidence bands at "
            + sweep.points().size()
            + " values of "
            + sweep.parameter()
            + (sweep.isNamed()
                ? ". Where a dot is missing, the figure is never reached."
                : ". A line ends where the figure is never reached."),
        "",
        panels,
        "panels two");
  }

  private String tickLabel(Tick tick) {
    return sweep.unit().equals("s")
        ? Numbers.shown(tick.value(), "s")
        : Numbers.withUnit(tick.label(), sweep.unit());
  }

  private boolean changes(Figure figure) {
    double[] means =
        points.stream()
            .flatMap(List::stream)
            .flatMapToDouble(outcome -> outcome.mean(figure).stream())
            .filter(Double::isFinite)
            .distinct()
            .toArray();
    return means.length > 1;
  }

  /** One policy's line: the values that were reached. */
  private record Line(
      Outcome outcome, List<double[]> means, List<double[]> lows, List<double[]> highs) {
    double end() {
      return means.get(means.size() - 1)[1];
    }
  }

  private String panel(Figure figure) {
    List<Line> lines = new ArrayList<>();
    double highest = 0;
    double lowest = Double.POSITIVE_INFINITY;
    for (Outcome policy : points.get(0)) {
      Line line = line(policy, figure);
      if (!line.means().isEmpty()) {
        lines.add(line);
        highest =
            Math.max(highest, line.highs().stream().mapToDouble(one -> one[1]).max().orElse(0));
        lowest = Math.min(lowest, line.lows().stream().mapToDouble(one -> one[1]).min().orElse(0));
      }
    }
    double first = sweep.points().get(0).value();
    double last = sweep.points().get(sweep.points().size() - 1).value();
    Scale x =
        first > 0 && last >= 8 * first
            ? new Scale(first, last, true)
            : new Scale(first, last, false);
    Scale y =
        FigureCharts.SHARES.contains(figure)
            ? new Scale(0, 1, false)
            : Scale.spanning(lowest, highest, 20);
    Chart chart = new Chart(x, y, HEIGHT).margins(48, 130);
    chart.verticalAxis(y.ticks(4));
    chart.horizontalAxis(values(x));
    for (Line line : lines) {
      draw(chart, line, figure);
    }
    nameLines(chart, lines);
    String unit = figure.unit().isEmpty() ? "" : " (" + figure.unit() + ")";
    return Panels.panel(
        "",
        figure.key() + unit,
        wording.meaning(figure),
        chart.svg(figure.key() + " against " + sweep.parameter() + ", one line for each policy."));
  }

  private List<Tick> values(Scale scale) {
    List<Tick> values = new ArrayList<>();
    if (sweep.isNamed()) {
      for (SweepResult.Point point : sweep.points()) {
        values.add(new Tick(point.value(), HarmlessText.withoutMiddle(point.name(), MAX_NAME)));
      }
    } else {
      scale.ticks(4).forEach(tick -> values.add(new Tick(tick.value(), tickLabel(tick))));
    }
    return values;
  }

  private Line line(Outcome policy, Figure figure) {
    Line line = new Line(policy, new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    for (int i = 0; i < points.size(); i++) {
      Estimate estimate = estimate(points.get(i), policy.name(), figure);
      if (estimate != null && estimate.isReached()) {
        double value = sweep.points().get(i).value();
        line.means().add(new double[] {value, estimate.mean()});
        line.lows().add(new double[] {value, estimate.lowest()});
        line.highs().add(new double[] {value, estimate.highest()});
      }
    }
    return line;
  }

  static @Nullable Estimate estimate(List<Outcome> outcomes, String name, Figure figure) {
    return outcomes.stream()
        .filter(outcome -> outcome.name().equals(name))
        .findFirst()
        .map(outcome -> outcome.estimate(figure))
        .orElse(null);
  }

  private void draw(Chart chart, Line line, Figure figure) {
    String style = Palette.ofPolicy(line.outcome().index());
    if (!sweep.isNamed()) {
      chart.between(line.lows(), line.highs(), "spread " + style);
      chart.line(line.means(), "line " + style, line.outcome().name());
    }
    for (double[] point : line.means()) {
      String title =
          line.outcome().name()
              + " at "
              + (sweep.isNamed()
                  ? sweep.shown((int) point[0])
                  : Numbers.shown(point[0], sweep.unit()))
              + ": "
              + Numbers.shown(point[1], figure);
      chart.dot(point[0], point[1], 3, "dot " + style, title);
    }
  }

  /** Writes the names at the right end, from the highest line down, so that none covers another. */
  private static void nameLines(Chart chart, List<Line> lines) {
    List<Line> falling = new ArrayList<>(lines);
    falling.sort(Comparator.comparingDouble(line -> chart.down(line.end())));
    double[] places = new double[falling.size()];
    double next = 0;
    for (int i = 0; i < places.length; i++) {
      places[i] = Math.max(next, chart.down(falling.get(i).end()));
      next = places[i] + APART;
    }
    // If the last labels left the plot, they push the others up again.
    double lowest = HEIGHT;
    for (int i = places.length - 1; i >= 0; i--) {
      places[i] = Math.min(places[i], lowest);
      lowest = places[i] - APART;
      Line line = falling.get(i);
      chart.label(
          HarmlessText.withoutMiddle(line.outcome().name(), 18),
          Double.MAX_VALUE,
          line.end(),
          8,
          (int) Math.round(places[i] - chart.down(line.end())) + 4,
          "start",
          "label " + Palette.ofPolicy(line.outcome().index()));
    }
  }
}
