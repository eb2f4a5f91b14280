package dev.reprise.lab.report;

import dev.reprise.lab.figure.Figure;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Time until all devices are back against the load that it takes: one dot for each policy. */
final class TradeOffChart {
  private static final int HEIGHT = 300;

  /** The fewest policies that show a trade-off. */
  private static final int POLICIES = 3;

  /** Values that lie further apart than by this factor stand on a logarithmic axis. */
  private static final double SPANNING = 6;

  private final Plots plots;
  private final List<Outcome> shown = new ArrayList<>();

  TradeOffChart(Plots plots, List<Outcome> outcomes) {
    this.plots = plots;
    for (Outcome outcome : outcomes) {
      if (outcome.mean(Figure.DRAIN_LAST).isPresent()
          && Double.isFinite(outcome.mean(Figure.PEAK_RATIO).orElse(Double.NaN))) {
        shown.add(outcome);
      }
    }
    shown.sort(Comparator.comparingDouble(TradeOffChart::drain));
  }

  String html() {
    if (shown.size() < POLICIES || Double.isInfinite(drain(shown.get(0)))) {
      return "";
    }
    Axis x = new Axis("s").logarithmicBeyond(SPANNING);
    Axis y = new Axis("\u00d7").logarithmicBeyond(SPANNING);
    Plot plot = new Plot(x, y, HEIGHT);
    for (Outcome outcome : shown) {
      plot.bubble(drain(outcome), peak(outcome), attempts(outcome), outcome, title(outcome));
    }
    String lead =
        "Time until the last device is back (across) against the highest load in capacities (up)."
            + " The area of a dot grows with the attempts that a device makes after recovery."
            + " Nearer to the lower left corner is better.";
    String panel = Panels.panel("wide", "", "", plots.place(plot, "Scatter plot. " + lead));
    return Panels.section("tradeoff", "Trade-off", lead, "", List.of(panel), "panels one");
  }

  private static String title(Outcome outcome) {
    return "%s: %s, peak %s × capacity, %s attempts a device"
        .formatted(
            outcome.name(),
            Double.isInfinite(drain(outcome))
                ? "never all back"
                : "all back after " + Numbers.shown(drain(outcome), "s"),
            Numbers.shown(peak(outcome)),
            Numbers.shown(attempts(outcome)));
  }

  private static double drain(Outcome outcome) {
    return outcome.mean(Figure.DRAIN_LAST).orElseThrow();
  }

  private static double peak(Outcome outcome) {
    return outcome.mean(Figure.PEAK_RATIO).orElseThrow();
  }

  private static double attempts(Outcome outcome) {
    double attempts = outcome.mean(Figure.ATTEMPTS_AFTER_RECOVERY).orElse(0);
    return Double.isFinite(attempts) ? attempts : 0;
  }
}
