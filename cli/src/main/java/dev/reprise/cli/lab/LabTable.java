package dev.reprise.cli.lab;

import dev.reprise.cli.terminal.Table;
import dev.reprise.cli.terminal.Terminal;
import dev.reprise.cli.terminal.Words;
import dev.reprise.common.text.AmountText;
import dev.reprise.lab.figure.Estimate;
import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.figure.PolicyResult;
import dev.reprise.lab.replay.Replay;
import dev.reprise.lab.report.SweepResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Figures in columns, as many as a line has room for; all of them are in the report. */
final class LabTable {
  /** The figures of a line, in this order, of fleets and of calls. */
  private static final List<Figure> SHOWN =
      List.of(
          Figure.DRAIN_P50,
          Figure.DRAIN_P99,
          Figure.DRAIN_LAST,
          Figure.DRAIN_RATIO,
          Figure.SUCCESS,
          Figure.GOODPUT,
          Figure.COLLAPSED,
          Figure.HYSTERESIS,
          Figure.LATENCY_P50,
          Figure.LATENCY_P99,
          Figure.PEAK_RATIO,
          Figure.ATTEMPTS,
          Figure.ATTEMPTS_AFTER_RECOVERY,
          Figure.WASTED_WORK,
          Figure.STRANDED);

  /** The figures that are left out where there is no room, the first first. */
  private static final List<Figure> LEFT_OUT =
      List.of(
          Figure.ATTEMPTS_AFTER_RECOVERY,
          Figure.DRAIN_P50,
          Figure.LATENCY_P50,
          Figure.WASTED_WORK,
          Figure.DRAIN_P99);

  private static final int GAP = 3;

  private LabTable() {}

  /** A margin of at most this part of its value is not shown: it does not matter. */
  private static final double MIN_MARGIN = 0.005;

  /** A line: what stands before the figures, the figures, and their confidence intervals. */
  private record Line(
      List<Object> before, Map<Figure, Double> figures, Map<Figure, Estimate> intervals) {
    Line(List<Object> before, Map<Figure, Double> figures) {
      this(before, figures, Map.of());
    }

    String cell(Figure figure) {
      Double value = figures.get(figure);
      if (value == null) {
        return "-";
      }
      return withUnit(value, figure.unit()) + interval(figure, intervals.get(figure));
    }

    private static String interval(Figure figure, @Nullable Estimate estimate) {
      if (estimate == null || !estimate.isReached()) {
        return "";
      }
      double margin = (estimate.highest() - estimate.lowest()) / 2;
      if (margin <= MIN_MARGIN * Math.abs(estimate.mean())) {
        return "";
      }
      return estimate.isSymmetric()
          ? " \u00b1 " + withUnit(margin, figure.unit())
          : " ("
              + withUnit(estimate.lowest(), figure.unit())
              + " to "
              + withUnit(estimate.highest(), figure.unit())
              + ")";
    }
  }

  static Table of(Terminal terminal, List<PolicyResult> results) {
    return table(
        terminal,
        List.of("POLICY"),
        results.stream()
            .map(result -> new Line(List.of(result.name()), means(result), result.estimates()))
            .toList());
  }

  static Table of(Terminal terminal, SweepResult sweep) {
    List<Line> lines = new ArrayList<>();
    boolean named = !sweep.points().get(0).name().isEmpty();
    for (SweepResult.Point point : sweep.points()) {
      String value = named ? point.name() : withUnit(point.value(), sweep.unit());
      for (PolicyResult result : point.results()) {
        lines.add(new Line(List.of(value, result.name()), means(result)));
      }
    }
    return table(terminal, List.of((named ? "" : ">") + sweep.parameter(), "POLICY"), lines);
  }

  static Table withRecord(Terminal terminal, Replay.Answer answer) {
    List<Line> lines = new ArrayList<>();
    lines.add(new Line(List.of("(as it was)"), answer.asItWas().figures()));
    answer.policies().forEach(result -> lines.add(new Line(List.of(result.name()), means(result))));
    return table(terminal, List.of("POLICY"), lines);
  }

  /** A table of figures of anything that has a name. */
  static Table of(Terminal terminal, String heading, Map<String, Map<Figure, Double>> rows) {
    List<Line> lines = new ArrayList<>();
    rows.forEach((name, figures) -> lines.add(new Line(List.of(name), figures)));
    return table(terminal, List.of(heading), lines);
  }

  /** Writes figures under their keys; one that was never reached is {@code "never"}. */
  static void putFigures(ObjectNode json, Map<Figure, Double> figures) {
    for (Figure figure : Figure.values()) {
      Double value = figures.get(figure);
      if (value != null && Double.isInfinite(value)) {
        json.put(figure.key(), "never");
      } else if (value != null) {
        json.put(figure.key(), value);
      }
    }
  }

  private static Table table(Terminal terminal, List<String> before, List<Line> lines) {
    List<Figure> shown = shown(terminal, before, lines);
    List<String> headings = new ArrayList<>(before);
    shown.forEach(figure -> headings.add(">" + figure.key()));
    Table table = new Table(headings.toArray(String[]::new));
    for (Line line : lines) {
      List<Object> cells = new ArrayList<>(line.before());
      shown.forEach(figure -> cells.add(line.cell(figure)));
      table.row(cells.toArray());
    }
    return table;
  }

  /** Returns the figures that say something and that a line has room for. */
  private static List<Figure> shown(Terminal terminal, List<String> before, List<Line> lines) {
    List<Figure> shown = new ArrayList<>(SHOWN);
    shown.removeIf(figure -> lines.stream().noneMatch(line -> line.figures().containsKey(figure)));
    // Most policies never give up, and most fleets come back whole.
    if (lines.stream().allMatch(line -> value(line, Figure.STRANDED) == 0)) {
      shown.remove(Figure.STRANDED);
    }
    if (lines.stream().allMatch(line -> value(line, Figure.COLLAPSED) == 0)) {
      shown.remove(Figure.COLLAPSED);
    }
    if (shown.contains(Figure.DRAIN_LAST)
        && lines.stream().allMatch(line -> value(line, Figure.SUCCESS) == 1)) {
      shown.remove(Figure.SUCCESS);
    }
    int margin = GAP;
    for (int i = 0; i < before.size(); i++) {
      int width = Words.width(before.get(i));
      for (Line line : lines) {
        width = Math.max(width, Words.width(String.valueOf(line.before().get(i))));
      }
      margin += width;
    }
    for (Figure figure : LEFT_OUT) {
      if (margin + shown.stream().mapToInt(each -> width(each, lines)).sum() > terminal.width()) {
        shown.remove(figure);
      }
    }
    return shown;
  }

  private static int width(Figure figure, List<Line> lines) {
    int width = figure.key().length();
    for (Line line : lines) {
      width = Math.max(width, Words.width(line.cell(figure)));
    }
    return GAP + width;
  }

  private static double value(Line line, Figure figure) {
    return line.figures().getOrDefault(figure, 0.0);
  }

  static Map<Figure, Double> means(PolicyResult result) {
    Map<Figure, Double> means = new LinkedHashMap<>();
    for (Map.Entry<Figure, Estimate> estimate : result.estimates().entrySet()) {
      means.put(estimate.getKey(), estimate.getValue().mean());
    }
    return means;
  }

  private static String withUnit(double value, String unit) {
    if (Double.isInfinite(value)) {
      return "never";
    }
    return switch (unit) {
      case "s" -> AmountText.seconds(value);
      case "/s" -> AmountText.rate(value);
      default -> AmountText.count(value);
    };
  }
}
