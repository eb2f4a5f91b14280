package dev.reprise.lab.report;

import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.figure.Series;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.lab.scenario.Model;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** Shows a run over time: load against capacity, devices that are back, the queue. */
final class TimeCharts {
  /** Beyond so many capacities, an even scale would flatten all that matters. */
  private static final double EVEN_SCALE = 12;

  /** A logarithmic scale begins at the capacity by this. */
  static final double LOWEST_LOAD = 100;

  private static final int PANEL = 150;
  private static final int WIDE = 300;
  private static final int IDEAL_BINS = 200;

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
    List<String> panels = new ArrayList<>();
    for (Outcome outcome : outcomes) {
      Series arrivals = equal(outcome, Series.ARRIVALS);
      if (arrivals == null) {
        continue;
      }
      int policy = outcome.index();
      Plot plot = framed(load());
      line(plot, arrivals, "area", policy, "attempts");
      line(plot, equal(outcome, Series.OFFERED), "offered", policy, "first attempts");
      line(plot, equal(outcome, Series.CAPACITY), "capacity", policy, "capacity");
      line(plot, equal(outcome, Series.SUCCESSES), "served", policy, "successes");
      markEnd(plot, outcome);
      panels.add(panel(outcome, peak(outcome, wording), plot, "Attempts a second over time"));
    }
    String lead =
        "Attempts a second in each moment of the run"
            + (isLoadWide(outcomes) ? ", on a logarithmic scale" : "")
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

  private Axis load() {
    Axis load = new Axis("").reaching(highestLoad(outcomes));
    return isLoadWide(outcomes)
        ? load.logarithmic().from(highest(outcomes, Series.CAPACITY) / LOWEST_LOAD)
        : load;
  }

  /** Returns whether the load is so far above the capacity that an even scale would flatten it. */
  static boolean isLoadWide(List<Outcome> outcomes) {
    double capacity = highest(outcomes, Series.CAPACITY);
    return capacity > 0 && highestLoad(outcomes) > EVEN_SCALE * capacity;
  }

  static double highestLoad(List<Outcome> outcomes) {
    return highest(outcomes, Series.ARRIVALS, Series.OFFERED, Series.SUCCESSES, Series.CAPACITY);
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
    List<String> panels = new ArrayList<>();
    for (Outcome outcome : outcomes) {
      Series queue = equal(outcome, Series.QUEUE);
      if (queue != null) {
        Plot plot = framed(new Axis("").reaching(highest));
        line(plot, queue, "area", outcome.index(), "requests");
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
    Axis x =
        logarithmic
            ? new Axis("s").logarithmic().from(floor / 20).to(longest * 1.1)
            : new Axis("s").from(0).to(shown);
    Plot plot = new Plot(x, new Axis("").from(0).to(fleet.devices() * 1.04), WIDE);
    plot.series(ideal(fleet), 0, floor, "ideal", 0, "ideal: N/C");
    double from = frame.recoverySeconds();
    double until = from + (logarithmic ? longest * 1.1 : shown);
    List<Outcome> ranked = new ArrayList<>();
    List<String> samples = new ArrayList<>();
    for (Outcome outcome : outcomes) {
      Series series = outcome.series(Series.CONNECTED);
      if (series != null) {
        ranked.add(outcome);
        double end = Math.min(until, series.lengthSeconds());
        plot.series(series, from, end, "level", outcome.index(), outcome.name());
        samples.addAll(List.of("k-line " + Palette.ofPolicy(outcome.index()), outcome.name()));
      }
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

  /** The devices that can be back at best: on a logarithmic axis, the straight line is bent. */
  private static Series ideal(FleetModel fleet) {
    double bin = fleet.devices() / fleet.quota().perSecond() / IDEAL_BINS;
    double[] values = new double[IDEAL_BINS];
    Arrays.setAll(values, i -> fleet.devices() * (i + 0.5) / IDEAL_BINS);
    return new Series("ideal", "", bin, values);
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

  private Plot framed(Axis y) {
    Plot plot = new Plot(new Axis("s").from(0).to(frame.shownSeconds()), y, PANEL);
    frame.troubles().forEach(trouble -> plot.band(trouble.from(), trouble.to()));
    return plot;
  }

  private void line(Plot plot, @Nullable Series series, String style, int policy, String name) {
    if (series != null) {
      plot.series(series, 0, frame.shownSeconds(), style, policy, name);
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
