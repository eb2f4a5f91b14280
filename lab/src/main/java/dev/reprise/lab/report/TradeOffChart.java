package dev.reprise.lab.report;

import dev.reprise.common.text.HarmlessText;
import dev.reprise.lab.figure.Figure;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Time until all devices are back against the load that it takes: one dot for each policy. */
final class TradeOffChart {
  private static final int HEIGHT = 300;

  /** The fewest policies that show a trade-off. */
  private static final int POLICIES = 3;

  /** Dots that lie nearer to each other, as a share of either axis, cannot be told apart. */
  private static final double SAME_PLACE = 0.012;

  private static final int MAX_NAME = 42;

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
    boolean never = Double.isInfinite(drain(shown.get(shown.size() - 1)));
    Scale drained = spanning(shown.stream().mapToDouble(TradeOffChart::drain).toArray());
    // Those that are never back stand beyond the end of the axis.
    Scale x =
        never ? new Scale(drained.low(), drained.valueAt(1.18), drained.logarithmic()) : drained;
    Scale y = spanning(shown.stream().mapToDouble(TradeOffChart::peak).toArray());
    Plot plot = new Plot(new Plot.Axis(x, "s"), new Plot.Axis(y, "\u00d7"), HEIGHT);
    if (never) {
      plot.ordinaryUntil(x.valueAt(0.8)).mark("x", x.high(), Numbers.NEVER);
      plot.band(drained.high(), x.high(), "never all back");
    }
    double most = shown.stream().mapToDouble(TradeOffChart::attempts).max().orElse(1);
    List<Outcome> named = new ArrayList<>();
    for (Outcome outcome : shown) {
      String label = "";
      // Dots at one place have one label, which names all of them.
      if (named.stream().noneMatch(other -> isSamePlace(x, y, other, outcome))) {
        List<String> names =
            shown.stream()
                .filter(other -> isSamePlace(x, y, outcome, other))
                .map(Outcome::name)
                .toList();
        named.add(outcome);
        label = HarmlessText.withoutMiddle(String.join(", ", names), MAX_NAME);
      }
      plot.dot(
          across(x, outcome),
          peak(outcome),
          radius(outcome, most),
          "bubble",
          outcome.index(),
          title(outcome),
          label);
    }
    String lead =
        "Time until the last device is back (across) against the highest load in capacities (up)."
            + " The area of a dot grows with the attempts that a device makes after recovery."
            + " Nearer to the lower left corner is better.";
    String panel = Panels.panel("wide", "", "", plots.place(plot, "Scatter plot. " + lead));
    return Panels.section("tradeoff", "Trade-off", lead, "", List.of(panel), "panels one");
  }

  private static Scale spanning(double... values) {
    double lowest = Double.POSITIVE_INFINITY;
    double highest = 0;
    for (double value : values) {
      if (Double.isFinite(value)) {
        lowest = Math.min(lowest, value);
        highest = Math.max(highest, value);
      }
    }
    return Scale.spanning(lowest, highest * 1.05, 6);
  }

  private static boolean isSamePlace(Scale x, Scale y, Outcome one, Outcome other) {
    return Math.abs(x.at(across(x, one)) - x.at(across(x, other))) < SAME_PLACE
        && Math.abs(y.at(peak(one)) - y.at(peak(other))) < SAME_PLACE;
  }

  private static double across(Scale x, Outcome outcome) {
    return Math.min(drain(outcome), x.valueAt(0.955));
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

  private static double radius(Outcome outcome, double most) {
    return most > 0 ? 4 + 10 * Math.sqrt(attempts(outcome) / most) : 7;
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
