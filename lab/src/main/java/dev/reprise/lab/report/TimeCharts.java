package dev.reprise.lab.report;

import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.figure.Series;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.lab.scenario.Model;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** Shows a run over time: load against capacity, devices that are back, the queue. */
final class TimeCharts {
  /** Beyond so many capacities, an even scale would flatten all that matters. */
  private static final double EVEN_SCALE = 12;

  private static final int PANEL = 150;
  private static final int WIDE = 300;
  private static final int IDEAL_POINTS = 60;

  /** The share of the devices by which a line must move to be seen to move. */
  private static final double VISIBLE = 1 / 1000.0;

  private final Plots plots;
  private final Model model;
  private final List<Outcome> outcomes;
  private final Wording wording;
  private final TimeFrame frame;

  TimeCharts(Plots plots, Model model, List<Outcome> outcomes) {
    this.plots = plots;
    this.model = model;
    this.outcomes = outcomes;
    this.wording = Wording.of(model);
    this.frame = TimeFrame.of(model, outcomes);
  }

  /** Arrivals a second, one panel for each policy, all with the same axes. */
  String arrivals() {
    Scale y = loadScale(outcomes);
    List<String> panels = new ArrayList<>();
    for (Outcome outcome : outcomes) {
      Series arrivals = equal(outcome, Series.ARRIVALS);
      if (arrivals == null) {
        continue;
      }
      int policy = outcome.index();
      Plot plot = framed(y).series(arrivals, "area", policy, "attempts");
      line(plot, equal(outcome, Series.OFFERED), "offered", policy, "first attempts");
      line(plot, equal(outcome, Series.CAPACITY), "capacity", policy, "capacity");
      line(plot, equal(outcome, Series.SUCCESSES), "served", policy, "successes");
      markEnd(plot, outcome);
      panels.add(panel(outcome, peak(outcome, wording), plot, "Attempts a second over time"));
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
    Scale y = Scale.fromZero(highest);
    List<String> panels = new ArrayList<>();
    for (Outcome outcome : outcomes) {
      Series queue = equal(outcome, Series.QUEUE);
      if (queue != null) {
        Plot plot = framed(y).series(queue, "area", outcome.index(), "requests");
        String note = "longest " + Numbers.shown(highest(outcome, Series.QUEUE));
        panels.add(panel(outcome, note, plot, "Requests over time"));
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
    Plot plot = new Plot(new Plot.Axis(x, "s"), new Plot.Axis(y, ""), WIDE);
    plot.line(ideal(fleet, x), "ideal", 0, "ideal: N/C");
    List<Outcome> ranked = new ArrayList<>(outcomes);
    ranked.removeIf(outcome -> outcome.series(Series.CONNECTED) == null);
    List<String> samples = new ArrayList<>();
    for (Outcome outcome : ranked) {
      plot.line(connected(outcome, fleet, x.high()), "line", outcome.index(), outcome.name());
      samples.addAll(List.of("k-line " + Palette.ofPolicy(outcome.index()), outcome.name()));
    }
    samples.addAll(List.of("k-ideal", "ideal"));
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
        Panels.key(samples.toArray(String[]::new)),
        List.of(Panels.panel("wide", "", "", plots.place(plot, label))),
        "panels one");
  }

  /** On a logarithmic scale, the straight line of the ideal is bent. */
  private static List<double[]> ideal(FleetModel fleet, Scale x) {
    double rate = fleet.quota().perSecond();
    List<double[]> ideal = new ArrayList<>();
    for (int i = 0; i <= IDEAL_POINTS; i++) {
      double at = x.valueAt((double) i / IDEAL_POINTS);
      if (at * rate < fleet.devices()) {
        ideal.add(new double[] {at, at * rate});
      }
    }
    ideal.add(new double[] {fleet.devices() / rate, fleet.devices()});
    ideal.add(new double[] {x.high(), fleet.devices()});
    return ideal;
  }

  /**
   * Returns the line of a policy: wherever it has moved by what can be seen. A run that has ended
   * stays as it was, to the edge.
   */
  private List<double[]> connected(Outcome outcome, FleetModel fleet, double until) {
    Series series = outcome.series(Series.CONNECTED);
    if (series == null || series.values().length == 0) {
      throw new IllegalStateException("only series with values are shown");
    }
    List<double[]> line = new ArrayList<>();
    double[] values = series.values();
    double[] last = {0, values[0]};
    double moved = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < values.length; i++) {
      double at = (i + 0.5) * series.binSeconds() - frame.recoverySeconds();
      if (at > until) {
        break;
      }
      double[] point = {Math.max(at, 0), values[i]};
      if (at >= 0 && Math.abs(values[i] - moved) > fleet.devices() * VISIBLE) {
        if (!line.isEmpty() && line.get(line.size() - 1) != last) {
          line.add(last);
        }
        line.add(point);
        moved = values[i];
      }
      last = point;
    }
    if (line.isEmpty() || line.get(line.size() - 1) != last) {
      line.add(last);
    }
    line.add(new double[] {until, last[1]});
    return line;
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

  private Plot framed(Scale y) {
    Scale x = new Scale(0, frame.shownSeconds(), false);
    Plot plot = new Plot(new Plot.Axis(x, "s"), new Plot.Axis(y, ""), PANEL);
    for (TimeFrame.Trouble trouble : frame.troubles()) {
      plot.band(trouble.from(), trouble.to(), trouble.name());
    }
    return plot;
  }

  private static void line(
      Plot plot, @Nullable Series series, String style, int policy, String name) {
    if (series != null) {
      plot.series(series, style, policy, name);
    }
  }

  private void markEnd(Plot plot, Outcome outcome) {
    OptionalDouble last = outcome.mean(Figure.DRAIN_LAST);
    if (last.isEmpty()) {
      return;
    }
    double end = frame.recoverySeconds() + last.getAsDouble();
    if (end <= frame.shownSeconds()) {
      plot.rule(end, "all " + wording.settled());
    } else {
      plot.rule(frame.shownSeconds(), "goes on \u2192");
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

  private String panel(Outcome outcome, String note, Plot plot, String what) {
    String peak = peak(outcome, wording);
    String label = what + " with " + outcome.name() + (peak.isEmpty() ? "." : ": " + peak + ".");
    return Panels.panel(outcome, note, plots.place(plot, label));
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
