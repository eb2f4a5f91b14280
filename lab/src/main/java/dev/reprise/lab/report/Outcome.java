package dev.reprise.lab.report;

import dev.reprise.lab.figure.Distribution;
import dev.reprise.lab.figure.Estimate;
import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.figure.PolicyResult;
import dev.reprise.lab.figure.Series;
import dev.reprise.lab.scenario.Model;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The contents of a report on one policy, computed once.
 *
 * @param index its place in the report, from 0: its colour
 * @param result what it was computed from
 * @param estimates by figure
 * @param differences to the first policy; empty for itself
 * @param series averaged over the runs
 * @param distributions summed over the runs
 */
record Outcome(
    int index,
    PolicyResult result,
    Map<Figure, Estimate> estimates,
    Map<Figure, Estimate> differences,
    List<Series> series,
    List<Distribution> distributions) {

  /** As {@link #all(List)}; what a ramp ended too early to tell is a lower bound only. */
  static List<Outcome> all(Model model, List<PolicyResult> results) {
    List<Outcome> outcomes = all(results);
    Ramp ramp = Ramp.of(model);
    if (ramp == null) {
      return outcomes;
    }
    boolean firstIsBound = ramp.staysDown(results.get(0).runs()) > 0;
    List<Outcome> bounded = new ArrayList<>();
    for (Outcome outcome : outcomes) {
      boolean isBound = ramp.staysDown(outcome.result.runs()) > 0;
      bounded.add(isBound || firstIsBound ? outcome.withBound(isBound) : outcome);
    }
    return bounded;
  }

  private Outcome withBound(boolean isBound) {
    Map<Figure, Estimate> bounded = new TreeMap<>(estimates);
    if (isBound) {
      bounded.computeIfPresent(Figure.HYSTERESIS, (figure, estimate) -> atLeast(estimate));
    }
    // The difference to an unknown width is unknown.
    Map<Figure, Estimate> known = new TreeMap<>(differences);
    known.remove(Figure.HYSTERESIS);
    return new Outcome(index, result, bounded, known, series, distributions);
  }

  private static Estimate atLeast(Estimate estimate) {
    return new Estimate(
        estimate.mean(), estimate.mean(), Double.POSITIVE_INFINITY, estimate.runs());
  }

  /** Returns whether only a lower bound of a figure is known. */
  static boolean isAtLeast(Estimate estimate) {
    return estimate.isReached() && Double.isInfinite(estimate.highest());
  }

  /** Returns the mean of a figure for people. */
  static String shown(Estimate estimate, Figure figure) {
    String mean = Numbers.shown(estimate.mean(), figure);
    return isAtLeast(estimate) ? "\u2265\u00a0" + mean : mean;
  }

  static List<Outcome> all(List<PolicyResult> results) {
    List<Outcome> outcomes = new ArrayList<>();
    for (PolicyResult result : results) {
      boolean first = outcomes.isEmpty();
      outcomes.add(
          new Outcome(
              outcomes.size(),
              result,
              result.estimates(),
              first ? Map.of() : result.differencesTo(results.get(0)),
              result.meanSeries(),
              result.summedDistributions()));
    }
    return outcomes;
  }

  String name() {
    return result.name();
  }

  @Nullable Series series(String name) {
    return series.stream().filter(one -> one.name().equals(name)).findFirst().orElse(null);
  }

  @Nullable Distribution distribution(String name) {
    return distributions.stream().filter(one -> one.name().equals(name)).findFirst().orElse(null);
  }

  @Nullable Estimate estimate(Figure figure) {
    return estimates.get(figure);
  }

  /** The mean of a figure, when it has one; infinite when never reached. */
  OptionalDouble mean(Figure figure) {
    Estimate estimate = estimates.get(figure);
    return estimate == null ? OptionalDouble.empty() : OptionalDouble.of(estimate.mean());
  }

  /**
   * The mean of a figure that is the best beyond chance; none when the direction is not known, or
   * when another's interval holds it. A policy that gave devices up has little load and few
   * attempts, and is never the best beside one that did not.
   */
  static OptionalDouble clearlyBest(Figure figure, List<Outcome> outcomes) {
    boolean anyKept = outcomes.stream().anyMatch(Outcome::gaveNobodyUp);
    List<Outcome> rivals = outcomes.stream().filter(one -> !anyKept || one.gaveNobodyUp()).toList();
    OptionalDouble best = best(figure, rivals.size() > 1 ? rivals : outcomes);
    if (best.isEmpty()) {
      return best;
    }
    double mean = best.getAsDouble();
    for (Outcome rival : rivals) {
      Estimate estimate = rival.estimate(figure);
      if (estimate != null
          && estimate.mean() == mean
          && rivals.stream().anyMatch(other -> other.isWithin(estimate, figure))) {
        return OptionalDouble.empty();
      }
    }
    return rivals.stream().anyMatch(one -> one.mean(figure).orElse(Double.NaN) == mean)
        ? best
        : OptionalDouble.empty();
  }

  private boolean gaveNobodyUp() {
    return mean(Figure.STRANDED).orElse(0) == 0;
  }

  /** Returns true if this one's mean, which is another one, is within the interval of the best. */
  private boolean isWithin(Estimate best, Figure figure) {
    OptionalDouble own = mean(figure);
    return own.isPresent()
        && own.getAsDouble() != best.mean()
        && own.getAsDouble() >= best.lowest()
        && own.getAsDouble() <= best.highest();
  }

  /** The best mean of a figure, when its direction is known and not all are the same. */
  static OptionalDouble best(Figure figure, List<Outcome> outcomes) {
    double[] means = outcomes.stream().flatMapToDouble(one -> one.mean(figure).stream()).toArray();
    double lowest = Double.POSITIVE_INFINITY;
    double highest = Double.NEGATIVE_INFINITY;
    for (double mean : means) {
      lowest = Math.min(lowest, mean);
      highest = Math.max(highest, mean);
    }
    if (!(lowest < highest)) {
      return OptionalDouble.empty();
    }
    return switch (figure.better()) {
      case LOWER -> OptionalDouble.of(lowest);
      case HIGHER -> OptionalDouble.of(highest);
      case NONE -> OptionalDouble.empty();
    };
  }
}
