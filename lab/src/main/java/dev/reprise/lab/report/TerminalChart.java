package dev.reprise.lab.report;

import dev.reprise.common.text.Bars;
import dev.reprise.common.text.HarmlessText;
import dev.reprise.core.InvalidSettingException;
import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.figure.PolicyResult;
import dev.reprise.lab.figure.Series;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.lab.scenario.Model;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * Charts for terminals: lines of Unicode blocks, without colours and without spaces at their ends.
 * Names of policies are shown without control characters. Thread-safe.
 */
public final class TerminalChart {
  private static final int ROWS = 8;
  private static final int NAME = 24;
  private static final int MIN_WIDTH = 40;

  private final Model model;
  private final List<Outcome> outcomes;
  private final TimeFrame frame;
  private final int width;

  private TerminalChart(Model model, List<PolicyResult> results, int width) {
    if (width < MIN_WIDTH) {
      throw new InvalidSettingException("width", width, "must be >= " + MIN_WIDTH);
    }
    this.model = model;
    this.outcomes = Outcome.all(model, results);
    this.frame = TimeFrame.of(model, outcomes);
    this.width = width;
  }

  /**
   * Returns the attempts a second over time, one chart below the other with the same axes. The
   * dashes are the capacity, the shaded part of the axis is an outage or what else went wrong.
   *
   * @param results at least one
   * @param width characters of a line at most, at least 40
   * @return empty when no result has the series
   */
  public static List<String> arrivals(Model model, List<PolicyResult> results, int width) {
    return new TerminalChart(model, results, width).arrivals();
  }

  /**
   * Returns how many devices are back over time: one line for each policy, below that of the ideal,
   * and when the last device is back.
   *
   * @param results at least one
   * @param width characters of a line at most, at least 40
   * @return empty when it is no fleet
   */
  public static List<String> connected(Model model, List<PolicyResult> results, int width) {
    return new TerminalChart(model, results, width).connected();
  }

  private List<String> arrivals() {
    List<String> lines = new ArrayList<>();
    double capacity = TimeCharts.highest(outcomes, Series.CAPACITY);
    double highest = TimeCharts.highestLoad(outcomes);
    Scale y =
        TimeCharts.isLoadWide(outcomes)
            ? Scale.decades(capacity / TimeCharts.LOWEST_LOAD, highest)
            : Scale.fromZero(highest);
    for (Outcome outcome : outcomes) {
      Series arrivals = outcome.series(Series.ARRIVALS);
      if (arrivals != null) {
        String note = TimeCharts.peak(outcome, Wording.of(model));
        lines.add(cut(HarmlessText.replaced(outcome.name()) + (note.isEmpty() ? "" : ": " + note)));
        chart(lines, arrivals, outcome.series(Series.CAPACITY), y);
      }
    }
    if (!lines.isEmpty()) {
      lines.add(
          cut(
              "attempts a second"
                  + (y.logarithmic() ? ", logarithmic" : "")
                  + (capacity > 0 ? "; \u2504 capacity" : "")
                  + (frame.troubles().isEmpty()
                      ? ""
                      : "; \u2592 " + frame.troubles().get(0).name())));
    }
    return lines;
  }

  private void chart(List<String> lines, Series arrivals, @Nullable Series capacity, Scale y) {
    String top = Scale.compact(y.high());
    String bottom = Scale.compact(y.low());
    int margin = Math.max(top.length(), bottom.length());
    int columns = width - margin - 2;
    double[] loads = columns(arrivals, columns, 0);
    double highestCapacity =
        capacity == null ? 0 : Arrays.stream(capacity.values()).max().orElse(0);
    int capacityRow = highestCapacity > 0 ? (int) Math.ceil(y.at(highestCapacity) * ROWS) : 0;
    for (int row = ROWS; row >= 1; row--) {
      StringBuilder line = new StringBuilder(row == ROWS ? pad(top, margin) : pad("", margin));
      line.append(row == ROWS ? " \u2524" : " \u2502");
      for (double load : loads) {
        int eighths = Bars.eighths(y.at(load), row, ROWS);
        if (row == 1 && load > 0) {
          // On a logarithmic axis, the lowest load lies at 0.
          eighths = Math.max(1, eighths);
        }
        line.append(eighths == 0 && row == capacityRow ? '\u2504' : Bars.block(eighths));
      }
      lines.add(line.toString().stripTrailing());
    }
    StringBuilder axis = new StringBuilder(pad(bottom, margin)).append(" \u2514");
    for (int i = 0; i < columns; i++) {
      axis.append(isTroubled((i + 0.5) / columns * frame.shownSeconds()) ? '\u2592' : '\u2500');
    }
    lines.add(axis.toString());
    String end = Scale.time(Math.rint(frame.shownSeconds()));
    lines.add(pad("", margin + 2) + "0" + pad(end, columns - 1));
  }

  private boolean isTroubled(double second) {
    return frame.troubles().stream()
        .anyMatch(trouble -> second >= trouble.from() && second < trouble.to());
  }

  private List<String> connected() {
    List<String> lines = new ArrayList<>();
    if (!(model instanceof FleetModel fleet)) {
      return lines;
    }
    int columns = width - NAME - 12;
    double seconds = frame.shownSeconds() - frame.recoverySeconds();
    double rate = fleet.quota().perSecond() / fleet.devices();
    double[] ideal = new double[columns];
    Arrays.setAll(ideal, i -> Math.min(1, (i + 1.0) / columns * seconds * rate));
    lines.add(row("ideal: N/C", ideal, Numbers.shown(1 / rate, "s")));
    for (Outcome outcome : outcomes) {
      Series connected = outcome.series(Series.CONNECTED);
      if (connected != null) {
        double[] shares = columns(connected, columns, frame.recoverySeconds());
        Arrays.setAll(shares, i -> shares[i] / fleet.devices());
        OptionalDouble last = outcome.mean(Figure.DRAIN_LAST);
        String end = last.isPresent() ? Numbers.shown(last.getAsDouble(), "s") : "";
        lines.add(row(HarmlessText.replaced(outcome.name()), shares, end));
      }
    }
    lines.add(
        cut(
            "share of devices that are back, from recovery to "
                + Scale.time(Math.rint(seconds))
                + " after it"));
    return lines;
  }

  private static String row(String name, double[] shares, String end) {
    String shortName = HarmlessText.withoutMiddle(name, NAME);
    StringBuilder line = new StringBuilder(shortName);
    line.append(" ".repeat(NAME - shortName.codePointCount(0, shortName.length()) + 1));
    return line.append(Bars.line(shares)).append("  ").append(end).toString().stripTrailing();
  }

  /** The highest value in each of so many columns; after its end a series keeps its last value. */
  private double[] columns(Series series, int columns, double from) {
    double[] highest = new double[columns];
    double[] values = series.values();
    boolean level = series.name().equals(Series.CONNECTED);
    double step = (frame.shownSeconds() - from) / columns;
    for (int column = 0; column < columns && values.length > 0; column++) {
      int first = (int) ((from + column * step) / series.binSeconds());
      int last = Math.max(first + 1, (int) ((from + (column + 1) * step) / series.binSeconds()));
      if (first >= values.length) {
        highest[column] = level ? values[values.length - 1] : 0;
      }
      for (int bin = first; bin < Math.min(last, values.length); bin++) {
        highest[column] = Math.max(highest[column], values[bin]);
      }
    }
    return highest;
  }

  private String cut(String line) {
    return HarmlessText.withoutMiddle(line, width);
  }

  private static String pad(String text, int length) {
    return " ".repeat(Math.max(0, length - text.length())) + text;
  }
}
