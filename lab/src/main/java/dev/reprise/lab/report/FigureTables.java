package dev.reprise.lab.report;

import dev.reprise.lab.figure.Estimate;
import dev.reprise.lab.figure.Figure;
import java.util.List;
import java.util.OptionalDouble;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** All figures of all policies, and the differences to the first. */
final class FigureTables {
  /** Policies beside each other at most: more would not fit on paper. */
  private static final int COLUMNS = 5;

  private final Wording wording;
  private final List<Outcome> outcomes;
  private final TreeSet<Figure> figures = new TreeSet<>();

  FigureTables(Wording wording, List<Outcome> outcomes) {
    this.wording = wording;
    this.outcomes = outcomes;
    outcomes.forEach(outcome -> figures.addAll(outcome.estimates().keySet()));
  }

  String html() {
    if (figures.isEmpty()) {
      return "";
    }
    Markup html = new Markup().open("section", "id", "figures").line();
    html.element("h2", "All figures").line();
    html.element(
        "p",
        "Each figure under its one name, as in report.json, figures.csv and on the command line."
            + " Below the mean is its 95\u00a0% confidence interval; the best value is bold and"
            + " marked \u2605, unless another lies within its interval, or its policy gave"
            + " devices up.",
        "class",
        "lead");
    html.line();
    for (int i = 0; i < outcomes.size(); i += COLUMNS) {
      table(html, outcomes.subList(i, Math.min(i + COLUMNS, outcomes.size())), false);
    }
    if (outcomes.size() > 1) {
      html.element("h3", "Differences to " + outcomes.get(0).name()).line();
      html.element(
          "p",
          "Runs of the same seed met the same luck, so differences are sharper than the figures."
              + " Those whose interval holds 0 may be chance and are grey.",
          "class",
          "lead");
      html.line();
      for (int i = 1; i < outcomes.size(); i += COLUMNS) {
        table(html, outcomes.subList(i, Math.min(i + COLUMNS, outcomes.size())), true);
      }
    }
    return html.close("section").line().toString();
  }

  private void table(Markup html, List<Outcome> columns, boolean differences) {
    html.open(
        "div",
        "class",
        "scroll",
        "tabindex",
        "0",
        "role",
        "region",
        "aria-label",
        (differences ? "Differences of " : "Figures of ")
            + columns.get(0).name()
            + (columns.size() == 1 ? "" : " to " + columns.get(columns.size() - 1).name()));
    html.open("table").open("thead").open("tr").element("th", "figure", "scope", "col");
    for (Outcome outcome : columns) {
      html.open("th", "scope", "col", "class", Palette.ofPolicy(outcome.index()));
      html.element("i", "", "class", "chip").text(outcome.name()).close("th");
    }
    html.close("tr").close("thead").line().open("tbody").line();
    for (Figure figure : figures) {
      if (differences && columns.stream().noneMatch(one -> one.differences().containsKey(figure))) {
        continue;
      }
      html.open("tr").open("th", "scope", "row").element("code", figure.key());
      html.element("small", wording.meaning(figure)).close("th");
      for (Outcome outcome : columns) {
        if (differences) {
          difference(html, outcome.differences().get(figure), figure);
        } else {
          value(html, outcome.estimate(figure), figure);
        }
      }
      html.close("tr").line();
    }
    html.close("tbody").close("table").close("div").line();
  }

  private void value(Markup html, @Nullable Estimate estimate, Figure figure) {
    if (estimate == null) {
      html.element("td", "\u2013", "class", "soft");
      return;
    }
    OptionalDouble best = Outcome.clearlyBest(figure, outcomes);
    html.open("td");
    String value = Outcome.shown(estimate, figure);
    if (best.isPresent() && best.getAsDouble() == estimate.mean()) {
      html.open("strong").text(value).element("span", "\u2605", "class", "star", "title", "best");
      html.close("strong");
    } else {
      html.text(value);
    }
    interval(html, estimate, figure);
    html.close("td");
  }

  private static void difference(Markup html, @Nullable Estimate estimate, Figure figure) {
    if (estimate == null) {
      html.element("td", "\u2013", "class", "soft");
      return;
    }
    if (estimate.mean() == Double.NEGATIVE_INFINITY) {
      html.element("td", "reached, unlike the first", "class", "words");
      return;
    }
    html.open("td", "class", estimate.isBeyondChance() ? "" : "soft");
    html.text(
        Double.isInfinite(estimate.mean())
            ? Numbers.NEVER
            : Numbers.signed(estimate.mean(), figure.unit()));
    interval(html, estimate, figure);
    html.close("td");
  }

  private static void interval(Markup html, Estimate estimate, Figure figure) {
    if (hasMargin(estimate)) {
      html.element("small", margin(estimate, figure));
    }
  }

  private static boolean hasMargin(Estimate estimate) {
    return estimate.hasInterval() && !Outcome.isAtLeast(estimate);
  }

  /** Returns the margin, or both ends where the mean is not in the middle of them. */
  private static String margin(Estimate estimate, Figure figure) {
    if (!estimate.isSymmetric()) {
      return Numbers.shown(estimate.lowest(), figure)
          + " to "
          + Numbers.shown(estimate.highest(), figure);
    }
    return Numbers.margin(
        (estimate.highest() - estimate.lowest()) / 2, estimate.mean(), figure.unit());
  }

  /** A figure in a line: {@code 24.2 s ± 0.3}, {@code 0.2 (0 to 0.5)}. */
  static String withInterval(Estimate estimate, Figure figure) {
    String value = Outcome.shown(estimate, figure);
    if (!hasMargin(estimate)) {
      return value;
    }
    String margin = margin(estimate, figure);
    return value + (estimate.isSymmetric() ? " " + margin : " (" + margin + ")");
  }
}
