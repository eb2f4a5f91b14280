package dev.reprise.lab.report;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.lab.figure.Distribution;
import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.kernel.DelayLaw;
import dev.reprise.lab.scenario.CallModel;
import dev.reprise.lab.scenario.Model;
import dev.reprise.policy.Policy;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/** Shows how attempts, delays and waits are spread, one panel for each policy. */
final class SpreadCharts {
  private static final int PANEL = 120;

  /** The share of all values that the axis must hold; those beyond it do not stretch it. */
  private static final double SHOWN_SHARE = 0.999;

  /** Ranges that widen by more than this from the first to the last are meant for logarithms. */
  private static final double WIDENING = 8;

  /** The most retries of a backoff that is not taken to reach its cap. */
  private static final int FEW_RETRIES = 10;

  private final Plots plots;
  private final Model model;
  private final Wording wording;
  private final List<Outcome> outcomes;

  SpreadCharts(Plots plots, Model model, List<Outcome> outcomes) {
    this.plots = plots;
    this.model = model;
    this.wording = Wording.of(model);
    this.outcomes = outcomes;
  }

  String attempts() {
    return section(
        Distribution.ATTEMPTS, "Attempts", "How many attempts a " + wording.one() + " makes");
  }

  String delays() {
    return section(Distribution.DELAYS, "Delays", "How long the delays before retries are");
  }

  String waits() {
    return section(
        Distribution.WAITS,
        "Waits",
        "How long it takes from the start until a " + wording.one() + " ends well");
  }

  private String section(String name, String title, String lead) {
    List<Distribution> all = new ArrayList<>();
    for (Outcome outcome : outcomes) {
      Distribution distribution = outcome.distribution(name);
      if (distribution != null && distribution.total() > 0) {
        all.add(distribution);
      }
    }
    if (all.isEmpty()) {
      return "";
    }
    boolean counts = name.equals(Distribution.ATTEMPTS);
    boolean logarithmic = !counts && isWide(all);
    List<String> panels = new ArrayList<>();
    for (Outcome outcome : outcomes) {
      Distribution distribution = outcome.distribution(name);
      if (distribution != null && distribution.total() > 0) {
        panels.add(panel(outcome, distribution, axis(all, counts, logarithmic), counts));
      }
    }
    String scale = logarithmic ? ", on a logarithmic scale" : "";
    return Panels.section(
        name,
        title,
        lead
            + scale
            + ". The area of a bar is its share. The horizontal axis is the same for all policies,"
            + " and reaches to what 99.9\u00a0% stay within; each has a vertical one of its own.",
        panels);
  }

  private static double reach(List<Distribution> all) {
    return all.stream().mapToDouble(one -> inside(one, SHOWN_SHARE)).max().orElse(1);
  }

  private static Axis axis(List<Distribution> all, boolean counts, boolean logarithmic) {
    double high = reach(all);
    if (counts) {
      return new Axis("").from(0.5).to(Math.max(Math.ceil(high), 4) + 0.5);
    }
    return logarithmic
        ? new Axis("s").logarithmic().from(lowest(all, high) / 1.2).to(high * 1.1)
        : new Axis("s").from(0).to(high > 0 ? high * 1.05 : 1);
  }

  private static double lowest(List<Distribution> all, double high) {
    return all.stream()
        .mapToDouble(one -> Math.max(inside(one, 0.002), high / 1e5))
        .min()
        .orElse(high);
  }

  private static boolean isWide(List<Distribution> all) {
    double high = reach(all);
    return Axis.isWide(lowest(all, high), high, 4) && all.stream().anyMatch(one -> widens(one));
  }

  private static boolean widens(Distribution one) {
    double[] bounds = one.upperBounds();
    int last = bounds.length - 1;
    return last > 2 && bounds[last] - bounds[last - 1] > WIDENING * (bounds[1] - bounds[0]);
  }

  private String panel(Outcome outcome, Distribution distribution, Axis x, boolean counts) {
    Plot plot = new Plot(x, new Axis("%"), PANEL).histogram(distribution, outcome.index());
    boolean zero = !counts && inside(distribution, 1) == 0;
    String note = zero ? "all 0\u00a0s" : within(outcome, distribution, counts);
    String label = "Histogram with " + outcome.name() + ": " + note + ".";
    return Panels.panel(outcome, note, plots.place(plot, label));
  }

  private String within(Outcome outcome, Distribution distribution, boolean counts) {
    if (counts) {
      return "half within %s, 99\u00a0%% within %s"
          .formatted(
              Numbers.shown(count(distribution, 0.5)), Numbers.shown(count(distribution, 0.99)));
    }
    boolean waits = distribution.name().equals(Distribution.WAITS);
    if (waits && outcome.mean(Figure.SUCCESS).orElse(0) == 1) {
      boolean calls = model instanceof CallModel;
      OptionalDouble half = outcome.mean(calls ? Figure.LATENCY_P50 : Figure.DRAIN_P50);
      OptionalDouble most = outcome.mean(calls ? Figure.LATENCY_P99 : Figure.DRAIN_P99);
      if (half.isPresent() && most.isPresent()) {
        return "half within %s, 99\u00a0%% within %s"
            .formatted(
                Numbers.shown(half.getAsDouble(), "s"), Numbers.shown(most.getAsDouble(), "s"));
      }
    }
    double highest = waits ? Double.POSITIVE_INFINITY : highestDelay(outcome.result().policy());
    return "half within about %s, 99\u00a0%% within about %s"
        .formatted(
            Numbers.shown(inside(distribution, 0.5, highest), "s"),
            Numbers.shown(inside(distribution, 0.99, highest), "s"));
  }

  /** Returns the longest delay without a hint, in seconds. */
  private static double highestDelay(Policy policy) {
    return Math.max(
        highestDelay(policy.backoff(), policy.maxRetries()),
        highestDelay(policy.throttleBackoff(), policy.maxRetries()));
  }

  /** Few retries do not reach the cap. */
  private static double highestDelay(Backoff backoff, int retries) {
    double cap = backoff.capNanos() / 1e9;
    if (retries > FEW_RETRIES) {
      return cap;
    }
    double highest = 0;
    for (int retry = 1; retry <= retries; retry++) {
      highest = Math.max(highest, DelayLaw.of(backoff, retry).highestSeconds());
    }
    return Math.min(cap, highest);
  }

  /** The number of attempts within which a share lies: always a whole one. */
  private static double count(Distribution distribution, double share) {
    return Math.ceil(inside(distribution, share) - 1e-9);
  }

  private static double inside(Distribution distribution, double share) {
    return inside(distribution, share, Double.POSITIVE_INFINITY);
  }

  /**
   * The value within which a share of everything lies, as if what fell into a range were spread
   * evenly over it.
   *
   * @param highest what is known to be exceeded by none in the last range
   */
  private static double inside(Distribution distribution, double share, double highest) {
    double wanted = distribution.total() * share;
    double[] bounds = distribution.upperBounds();
    long[] counts = distribution.counts();
    double below = 0;
    for (int i = 0; i < bounds.length; i++) {
      if (counts[i] > 0 && below + counts[i] >= wanted) {
        double from = i == 0 ? 0 : bounds[i - 1];
        double bound = Double.isFinite(bounds[i]) ? bounds[i] : from;
        double to = from < highest ? Math.min(bound, highest) : bound;
        return from + (to - from) * (wanted - below) / counts[i];
      }
      below += counts[i];
    }
    return 0;
  }
}
