package dev.reprise.lab.report;

import dev.reprise.lab.figure.Estimate;
import dev.reprise.lab.figure.Figure;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Key figures against a value that was changed, one line for each policy, with intervals. */
final class SweepCharts {
  private static final int HEIGHT = 220;

  private final Plots plots;
  private final Wording wording;
  private final SweepResult sweep;
  private final List<List<Outcome>> points;

  SweepCharts(Plots plots, Wording wording, SweepResult sweep) {
    this.plots = plots;
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
        key(),
        panels,
        "panels two");
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

  private String panel(Figure figure) {
    boolean share = FigureCharts.SHARES.contains(figure);
    Axis y = new Axis(figure.unit()).bare();
    if (share) {
      y.to(1);
    } else {
      y.logarithmicBeyond(20);
    }
    Plot plot = new Plot(x(), y, HEIGHT);
    for (Outcome policy : points.get(0)) {
      List<double[]> line = line(policy, figure);
      if (!line.isEmpty()) {
        plot.line(line, sweep.isNamed() ? "alone" : "swept", policy.index(), policy.name());
      }
    }
    String unit = figure.unit().isEmpty() ? "" : " (" + figure.unit() + ")";
    return Panels.panel(
        "",
        figure.key() + unit,
        wording.meaning(figure),
        plots.place(
            plot, figure.key() + " against " + sweep.parameter() + ", one line for each policy."));
  }

  private Axis x() {
    Axis x = new Axis(sweep.unit());
    List<SweepResult.Point> all = sweep.points();
    return sweep.isNamed()
        ? x.of(all.stream().map(SweepResult.Point::name).toList())
        : x.from(all.get(0).value()).to(all.get(all.size() - 1).value()).logarithmicBeyond(8);
  }

  /** The values that were reached. */
  private List<double[]> line(Outcome policy, Figure figure) {
    List<double[]> line = new ArrayList<>();
    for (int i = 0; i < points.size(); i++) {
      Estimate estimate = estimate(points.get(i), policy.name(), figure);
      if (estimate != null && estimate.isReached()) {
        double value = sweep.points().get(i).value();
        line.add(new double[] {value, estimate.mean(), estimate.lowest(), estimate.highest()});
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

  private String key() {
    List<String> samples = new ArrayList<>();
    for (Outcome policy : points.get(0)) {
      samples.addAll(List.of("k-line " + Palette.ofPolicy(policy.index()), policy.name()));
    }
    return Panels.key(samples.toArray(String[]::new));
  }
}
