package dev.reprise.lab.report;

import dev.reprise.lab.figure.Estimate;
import dev.reprise.lab.figure.Figure;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;

/** Policies beside each other: each key figure with its interval. */
final class FigureCharts {
  /** The figures that most decisions are made by, in the order in which they are asked for. */
  static final List<Figure> KEY =
      List.of(
          Figure.DRAIN_LAST,
          Figure.SUCCESS,
          Figure.PEAK_RATIO,
          Figure.GOODPUT,
          Figure.ATTEMPTS_AFTER_RECOVERY,
          Figure.LATENCY_P99,
          Figure.WASTED_WORK,
          Figure.ATTEMPTS,
          Figure.FELT_OUTAGE,
          Figure.COLLAPSED,
          Figure.HYSTERESIS,
          Figure.JAIN_INDEX,
          Figure.LATENCY_P50);

  /** Figures that are parts of a whole: shown from nothing to all of it. */
  static final Set<Figure> SHARES =
      Set.of(
          Figure.SUCCESS, Figure.GOODPUT, Figure.WASTED_WORK, Figure.JAIN_INDEX, Figure.COLLAPSED);

  /** Key figures that are shown. */
  private static final int SHOWN = 6;

  private static final int ROW = 26;
  private static final double SPANNING = 15;

  private final Plots plots;
  private final Wording wording;
  private final List<Outcome> outcomes;

  FigureCharts(Plots plots, Wording wording, List<Outcome> outcomes) {
    this.plots = plots;
    this.wording = wording;
    this.outcomes = outcomes;
  }

  /** Returns the key figures by which the policies differ. */
  static List<Figure> telling(List<Outcome> outcomes) {
    return KEY.stream()
        .filter(figure -> Outcome.best(figure, outcomes).isPresent())
        .limit(SHOWN)
        .toList();
  }

  /** One dot and its interval for each policy. */
  String dots() {
    List<String> panels = new ArrayList<>();
    for (Figure figure : telling(outcomes)) {
      panels.add(dots(figure));
    }
    int runs = outcomes.get(0).result().runs().size();
    String lead =
        runs > 1
            ? "Means over " + runs + " runs; the bars are 95\u00a0% confidence intervals."
            : "One run of each policy, so there are no confidence intervals.";
    return Panels.section("compared", "Side by side", lead, "", panels, "panels dots");
  }

  private String dots(Figure figure) {
    double highest = 0;
    double lowest = Double.POSITIVE_INFINITY;
    for (Outcome outcome : outcomes) {
      Estimate estimate = outcome.estimate(figure);
      if (estimate != null && estimate.isReached()) {
        highest = Math.max(highest, highest(estimate));
        lowest = Math.min(lowest, estimate.lowest());
      }
    }
    boolean share = SHARES.contains(figure);
    boolean logarithmic = !share && Axis.isWide(lowest, highest, SPANNING);
    Axis x = logarithmic ? new Axis("").logarithmic() : new Axis("");
    Axis y = new Axis("").of(outcomes.stream().map(Outcome::name).toList());
    Plot plot = new Plot(share ? x.to(1) : x, y, outcomes.size() * ROW);
    OptionalDouble best = Outcome.clearlyBest(figure, outcomes);
    for (Outcome outcome : outcomes) {
      row(plot, outcome, figure, best);
    }
    StringBuilder label = new StringBuilder(figure.key() + ": " + wording.meaning(figure) + ". ");
    for (Outcome outcome : outcomes) {
      outcome
          .mean(figure)
          .ifPresent(
              mean ->
                  label
                      .append(outcome.name())
                      .append(' ')
                      .append(Numbers.shown(mean, figure))
                      .append(". "));
    }
    String meaning =
        wording.meaning(figure)
            + (figure.better() == Figure.Better.HIGHER ? " (more is better)" : "")
            + (logarithmic ? "; logarithmic scale" : "");
    return Panels.panel("", figure.key(), meaning, plots.place(plot, label.toString().strip()));
  }

  private static void row(Plot plot, Outcome outcome, Figure figure, OptionalDouble best) {
    Estimate estimate = outcome.estimate(figure);
    if (estimate == null) {
      plot.row(null, 0, "\u2013", false, "");
      return;
    }
    String title = outcome.name() + ": " + FigureTables.withInterval(estimate, figure);
    boolean isBest = best.isPresent() && best.getAsDouble() == estimate.mean();
    plot.row(estimate, highest(estimate), Outcome.shown(estimate, figure), isBest, title);
  }

  /** The upper end of the known range. */
  private static double highest(Estimate estimate) {
    return Outcome.isAtLeast(estimate) ? estimate.mean() : estimate.highest();
  }
}
