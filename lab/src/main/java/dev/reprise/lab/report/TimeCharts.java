package dev.reprise.lab.report;

import dev.reprise.common.text.HarmlessText;
import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.figure.Series;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.lab.scenario.Model;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** Draws a run over time: load against capacity, devices that are back, the queue. */
final class TimeCharts {
  /** Beyond so many capacities, an even scale would flatten all that matters. */
  private static final double EVEN_SCALE = 12;

  private static final int PANEL = 150;
  private static final int WIDE = 300;

  private final Model model;
  private final List<Outcome> outcomes;
  private final Wording wording;
  private final TimeFrame frame;

  TimeCharts(Model model, List<Outcome> outcomes) {
    this.model = model;
    this.outcomes = outcomes;
    this.wording = Wording.of(model);
    this.frame = TimeFrame.of(model, outcomes);
  }

  /** Arrivals a second, one panel for each policy, all with the same axes. */
  String arrivals() {
    Scale y = loadScale(outcomes);
    Scale x = new Scale(0, frame.shownSeconds(), false);
    List<String> panels = new ArrayList<>();
    for (Outcome outcome : outcomes) {
      Series arrivals = equal(outcome, Series.ARRIVALS);
      if (arrivals == null) {
        continue;
      }
      Chart chart = framed(x, y).area(arrivals, 0, "area");
      line(chart, equal(outcome, Series.OFFERED), "offered", "first attempts");
      line(chart, equal(outcome, Series.CAPACITY), "capacity", "capacity");
      line(chart, arrivals, "line", "attempts");
      line(chart, equal(outcome, Series.SUCCESSES), "served", "successes");
      markEnd(chart, outcome, x, y.high());
      panels.add(
          Panels.panel(
              outcome,
              peak(outcome, wording),
              chart.svg(described("Attempts a second over time", outcome))));
    }
    String lead =
        "Attempts a second in each moment of the run"
            + (y.logarithmic() ? ", on a logarithmic scale" : "")
            + "; the axes are the same for all policies."
            + cut();
    return Panels.section(
        "arrivals",
        highest(outcomes, Series.CAPACITY) > 0 ? "Load against capacity" : "Load over time",
        lead,
        arrivalsKey(),
        panels,
        "panels");
  }

  /** Bins of one width in all panels: those of short runs are narrower than those of long ones. */
  private @Nullable Series equal(Outcome outcome, String name) {
    Series series = outcome.series(name);
    return series == null
        ? null
        : series.inBinsOf(Math.max(frame.binSeconds(), series.binSeconds()));
  }

  /** One scale for the load of all policies. */
  static Scale loadScale(List<Outcome> outcomes) {
    double highest =
        highest(outcomes, Series.ARRIVALS, Series.OFFERED, Series.SUCCESSES, Series.CAPACITY);
    double capacity = highest(outcomes, Series.CAPACITY);
    return capacity > 0 && highest > EVEN_SCALE * capacity
        ? Scale.decades(capacity / 100, highest)
        : Scale.fromZero(highest);
  }

  private String arrivalsKey() {
    List<String> samples = new ArrayList<>(List.of("k-area", "attempts"));
    addIf(Series.SUCCESSES, samples, "k-served", "successes");
    addIf(Series.OFFERED, samples, "k-offered", "first attempts");
    addIf(Series.CAPACITY, samples, "k-capacity", "capacity");
    frame.troubles().stream()
        .map(TimeFrame.Trouble::name)
        .distinct()
        .forEach(name -> samples.addAll(List.of("k-shade", name)));
    return Panels.key(samples.toArray(String[]::new));
  }

  private void addIf(String series, List<String> samples, String style, String name) {
    if (outcomes.stream().anyMatch(outcome -> outcome.series(series) != null)) {
      samples.addAll(List.of(style, name));
    }
  }

  /** Requests in the queue, one panel for each policy. */
  String queue() {
    double highest = highest(outcomes, Series.QUEUE);
    if (highest == 0) {
      return "";
    }
    Scale x = new Scale(0, frame.shownSeconds(), false);
    Scale y = Scale.fromZero(highest);
    List<String> panels = new ArrayList<>();
    for (Outcome outcome : outcomes) {
      Series queue = equal(outcome, Series.QUEUE);
      if (queue != null) {
        Chart chart = framed(x, y).area(queue, 0, "area").series(queue, 0, "line", "requests");
        String note = "longest " + Numbers.shown(highest(outcome, Series.QUEUE));
        panels.add(
            Panels.panel(outcome, note, chart.svg(described("Requests over time", outcome))));
      }
    }
    return Panels.section(
        "queue",
        "Queue",
        "Requests that wait or are served, averaged over the runs." + cut(),
        panels);
  }

  /** Devices that are back, all policies in one chart, with what is possible at best. */
  String connected() {
    if (!(model instanceof FleetModel fleet)
        || outcomes.stream().allMatch(outcome -> outcome.series(Series.CONNECTED) == null)) {
      return "";
    }
    double floor = fleet.devices() / fleet.quota().perSecond();
    double longest = Math.max(frame.longestSeconds() - frame.recoverySeconds(), floor);
    double shown = Math.max(frame.shownSeconds() - frame.recoverySeconds(), floor * 1.05);
    // Those that take far longer are worth seeing here, where one scale can hold all.
    boolean logarithmic = frame.isCut();
    Scale x = logarithmic ? new Scale(floor / 20, longest * 1.1, true) : new Scale(0, shown, false);
    Scale y = new Scale(0, fleet.devices() * 1.04, false);
    Chart chart = new Chart(x, y, WIDE).margins(48, 16);
    chart.verticalAxis(new Scale(0, fleet.devices(), false).ticks(5));
    chart.horizontalAxis(x.timeTicks(8));
    ideal(chart, fleet, x);
    List<Outcome> ranked = new ArrayList<>(outcomes);
    ranked.removeIf(outcome -> outcome.series(Series.CONNECTED) == null);
    ranked.sort(Comparator.comparingDouble(one -> one.mean(Figure.DRAIN_LAST).orElse(0)));
    for (Outcome outcome : ranked) {
      Series connected = extended(outcome.series(Series.CONNECTED), x.high());
      String style = Palette.ofPolicy(outcome.index());
      chart.series(connected, frame.recoverySeconds(), "line " + style, outcome.name());
    }
    for (int i = 0; i < ranked.size(); i++) {
      double share = 0.86 - 0.7 * (i + 0.5) / ranked.size();
      label(chart, ranked.get(i), x, share * fleet.devices());
    }
    String lead =
        "Devices that are back, by the time since recovery"
            + (logarithmic ? ", on a logarithmic scale" : "")
            + ". The dotted line is the ideal: all capacity used from the first moment, the last"
            + " device back after N/C = "
            + Numbers.shown(floor, "s")
            + ".";
    String label = "Connected devices over the time since recovery. " + drained(ranked);
    return Panels.section(
        "connected",
        "Devices that are back",
        lead,
        "",
        List.of(Panels.panel("wide", "", "", chart.svg(label))),
        "panels one");
  }

  private static void ideal(Chart chart, FleetModel fleet, Scale x) {
    double rate = fleet.quota().perSecond();
    List<double[]> ideal = new ArrayList<>();
    for (int i = 0; i <= 200; i++) {
      double at = x.valueAt(i / 200.0);
      if (at * rate < fleet.devices()) {
        ideal.add(new double[] {at, at * rate});
      }
    }
    ideal.add(new double[] {fleet.devices() / rate, fleet.devices()});
    ideal.add(new double[] {x.high(), fleet.devices()});
    chart.line(ideal, "ideal", "ideal: N/C");
    double height = fleet.devices() * 0.93;
    boolean room = x.at(height / rate) > 0.15;
    chart.label(
        "ideal", height / rate, height, room ? -6 : 6, 4, room ? "end" : "start", "label soft");
  }

  /** Names a line where it passes a height of its own, so that no two names meet. */
  private void label(Chart chart, Outcome outcome, Scale x, double height) {
    Series connected = extended(outcome.series(Series.CONNECTED), x.high());
    String style = "label " + Palette.ofPolicy(outcome.index());
    String name = HarmlessText.withoutMiddle(outcome.name(), 28);
    double[] values = connected.values();
    for (int i = 0; i < values.length; i++) {
      double at = (i + 0.5) * connected.binSeconds() - frame.recoverySeconds();
      if (at >= x.low() && at <= x.high() && values[i] >= height) {
        boolean left = x.at(at) > 0.66;
        chart.label(name, at, height, left ? -7 : 7, 4, left ? "end" : "start", style);
        return;
      }
    }
    chart.label(name, x.high(), values[values.length - 1], 0, -6, "end", style);
  }

  /** A run that has ended stays as it was: its line goes on to the edge. */
  private Series extended(@Nullable Series series, double until) {
    if (series == null || series.values().length == 0) {
      throw new IllegalStateException("only series with values are shown");
    }
    int bins = (int) Math.ceil((until + frame.recoverySeconds()) / series.binSeconds());
    if (bins <= series.values().length) {
      return series;
    }
    double[] values = Arrays.copyOf(series.values(), bins);
    Arrays.fill(values, series.values().length, bins, series.values()[series.values().length - 1]);
    return new Series(series.name(), series.unit(), series.binSeconds(), values);
  }

  private static String drained(List<Outcome> outcomes) {
    StringBuilder text = new StringBuilder();
    for (Outcome outcome : outcomes) {
      OptionalDouble last = outcome.mean(Figure.DRAIN_LAST);
      if (last.isPresent()) {
        text.append(outcome.name()).append(": all back ");
        text.append(Double.isInfinite(last.getAsDouble()) ? "never" : "after ");
        text.append(
            Double.isInfinite(last.getAsDouble()) ? "" : Numbers.shown(last.getAsDouble(), "s"));
        text.append(". ");
      }
    }
    return text.toString().strip();
  }

  private Chart framed(Scale x, Scale y) {
    Chart chart = new Chart(x, y, PANEL);
    for (TimeFrame.Trouble trouble : frame.troubles()) {
      chart.band(
          trouble.from(),
          trouble.to(),
          "shade",
          trouble.name() + ", " + Scale.time(trouble.from()) + " to " + Scale.time(trouble.to()));
    }
    return chart.verticalAxis(y.ticks(5)).horizontalAxis(x.timeTicks(5));
  }

  private static void line(Chart chart, @Nullable Series series, String style, String title) {
    if (series != null) {
      chart.series(series, 0, style, title);
    }
  }

  private void markEnd(Chart chart, Outcome outcome, Scale x, double top) {
    OptionalDouble last = outcome.mean(Figure.DRAIN_LAST);
    if (last.isEmpty()) {
      return;
    }
    double end = frame.recoverySeconds() + last.getAsDouble();
    if (end <= frame.shownSeconds()) {
      String text = "all " + wording.settled();
      boolean left = x.at(end) > 0.7;
      chart.rule(
          end,
          "end",
          "all %s are %s after %s"
              .formatted(
                  wording.many(), wording.settled(), Numbers.shown(last.getAsDouble(), "s")));
      chart.label(text, end, top, left ? -5 : 5, 10, left ? "end" : "start", "label soft");
    } else {
      chart.label("goes on \u2192", frame.shownSeconds(), top, 0, 10, "end", "label soft");
    }
  }

  /** The load and the time of a policy in a few words; empty when it has neither. */
  static String peak(Outcome outcome, Wording wording) {
    List<String> notes = new ArrayList<>();
    outcome
        .mean(Figure.PEAK_RATIO)
        .ifPresent(peak -> notes.add("peak " + Numbers.shown(peak) + "\u00a0× capacity"));
    outcome
        .mean(Figure.DRAIN_LAST)
        .ifPresent(
            last ->
                notes.add(
                    Double.isInfinite(last)
                        ? "never all " + wording.settled()
                        : "all " + wording.settled() + " after " + Numbers.shown(last, "s")));
    return String.join(", ", notes);
  }

  private String described(String what, Outcome outcome) {
    String note = peak(outcome, wording);
    return what + " with " + outcome.name() + (note.isEmpty() ? "." : ": " + note + ".");
  }

  private String cut() {
    return frame.isCut()
        ? " Only the first "
            + Numbers.shown(frame.shownSeconds(), "s")
            + " are shown; the longest run goes on until "
            + Numbers.shown(frame.longestSeconds(), "s")
            + "."
        : "";
  }

  static double highest(List<Outcome> outcomes, String... names) {
    double highest = 0;
    for (Outcome outcome : outcomes) {
      for (String name : names) {
        highest = Math.max(highest, highest(outcome, name));
      }
    }
    return highest;
  }

  private static double highest(Outcome outcome, String name) {
    Series series = outcome.series(name);
    double highest = 0;
    if (series != null) {
      for (double value : series.values()) {
        highest = Double.isFinite(value) ? Math.max(highest, value) : highest;
      }
    }
    return highest;
  }
}
