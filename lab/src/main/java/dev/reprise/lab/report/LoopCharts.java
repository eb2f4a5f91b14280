package dev.reprise.lab.report;

import dev.reprise.lab.figure.Estimate;
import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.figure.Series;
import dev.reprise.lab.scenario.Model;
import java.util.ArrayList;
import java.util.List;

/**
 * Goodput against offered load where the load rises and falls again: as long as the two ways are
 * one line, the service comes back as it went.
 */
final class LoopCharts {
  private final Plots plots;
  private final Model model;
  private final List<Outcome> outcomes;

  LoopCharts(Plots plots, Model model, List<Outcome> outcomes) {
    this.plots = plots;
    this.model = model;
    this.outcomes = outcomes;
  }

  String loops() {
    Ramp ramp = Ramp.of(model);
    if (ramp == null) {
      return "";
    }
    int peak = ramp.peak();
    double highest = ramp.steps().get(peak).perSecond();
    List<String> panels = new ArrayList<>();
    for (Outcome outcome : outcomes) {
      List<double[]> loop = ramp.loop(outcome.series(Series.SUCCESSES));
      if (loop.size() > peak) {
        panels.add(panel(outcome, loop, peak, highest));
      }
    }
    return Panels.section(
        "loop",
        "Goodput against offered load",
        "Successes a second (up) at each step of the offered load (across), as it rises and as it"
            + " falls again. Where the way back runs below the way up, the service stays down under"
            + " a load that it bore before.",
        Panels.key("k-up", "load rises", "k-back", "load falls", "k-ideal", "everything is served"),
        panels,
        "panels");
  }

  private String panel(Outcome outcome, List<double[]> loop, int peak, double highest) {
    Plot plot =
        new Plot(new Axis("/s").reaching(highest), new Axis("/s").bare().reaching(highest), 220);
    int policy = outcome.index();
    plot.line(List.of(new double[] {0, 0}, new double[] {highest, highest}), "ideal", policy, "");
    plot.line(loop.subList(peak, loop.size()), "back", policy, "load falls");
    plot.line(loop.subList(0, peak + 1), "line", policy, "load rises");
    double deepest = 0;
    for (double[] step : loop.subList(peak + 1, loop.size())) {
      deepest = Math.max(deepest, step[0] - step[1]);
    }
    String note = note(outcome, deepest);
    return Panels.panel(
        outcome,
        note,
        plots.place(
            plot, "Goodput against offered load with " + outcome.name() + ": " + note + "."));
  }

  private static String note(Outcome outcome, double deepest) {
    Estimate width = outcome.estimate(Figure.HYSTERESIS);
    if (width == null) {
      return "at most " + Numbers.shown(deepest, "/s") + " unserved on the way back";
    }
    if (width.mean() == 0) {
      return "bears on the way back what it bore before";
    }
    return (Outcome.isAtLeast(width) ? "does not come back within the ramp: " : "comes back: ")
        + "hysteresis "
        + FigureTables.withInterval(width, Figure.HYSTERESIS);
  }
}
