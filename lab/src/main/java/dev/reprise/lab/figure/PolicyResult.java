package dev.reprise.lab.figure;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.policy.Policy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * The runs of one policy in a scenario.
 *
 * @param name of the policy in the scenario
 * @param policy what was run
 * @param runs one for each seed, at least one, in the order of the seeds
 */
public record PolicyResult(String name, Policy policy, List<RunRecord> runs) {
  /** Values that differ by less are the same, but for the last digits of their sums. */
  private static final double ROUNDING = 1e-9;

  /** Copies the runs and checks that there is one. */
  public PolicyResult {
    runs = List.copyOf(runs);
    if (runs.isEmpty()) {
      throw new InvalidSettingException("runs", "empty", "must have at least one");
    }
  }

  /**
   * Returns each figure over the runs that have it. A run in which it came out as NaN does not have
   * it.
   */
  public Map<Figure, Estimate> estimates() {
    return estimates(run -> run.figures(), Estimate::ofFigure);
  }

  /**
   * Returns by how much each figure is above that of another policy. Runs of the same seed had the
   * same random numbers, so their differences are averaged, and the interval is far narrower than
   * those of the two figures suggest. A figure that one of the two never reached is infinite; one
   * that both never reached is absent, and so is one that either does not have, the share of runs
   * that collapsed, and all of them when no run of the two has the same seed.
   */
  public Map<Figure, Estimate> differencesTo(PolicyResult other) {
    Map<Long, RunRecord> bySeed = new HashMap<>();
    other.runs.forEach(run -> bySeed.put(run.seed(), run));
    EnumSet<Figure> never = neverReached();
    never.retainAll(other.neverReached());
    return estimates(
        run -> {
          RunRecord pair = bySeed.get(run.seed());
          return pair == null ? Map.of() : differences(run.figures(), pair.figures(), never);
        },
        Estimate::ofDifference);
  }

  /** The figures that some run never reached. */
  private EnumSet<Figure> neverReached() {
    EnumSet<Figure> never = EnumSet.noneOf(Figure.class);
    for (RunRecord run : runs) {
      run.figures()
          .forEach(
              (figure, value) -> {
                if (value.isInfinite()) {
                  never.add(figure);
                }
              });
    }
    return never;
  }

  private static Map<Figure, Double> differences(
      Map<Figure, Double> figures, Map<Figure, Double> others, Set<Figure> without) {
    EnumMap<Figure, Double> differences = new EnumMap<>(Figure.class);
    figures.forEach(
        (figure, value) -> {
          Double other = others.get(figure);
          // Of two chances no mean of differences tells: their intervals do.
          boolean isChance = figure == Figure.COLLAPSED;
          if (other != null && !isChance && !without.contains(figure)) {
            double difference = value - other;
            boolean same =
                Double.isFinite(value) && Math.abs(difference) <= ROUNDING * Math.abs(value);
            differences.put(figure, same ? 0.0 : difference);
          }
        });
    return differences;
  }

  private Map<Figure, Estimate> estimates(
      Function<RunRecord, Map<Figure, Double>> figures,
      BiFunction<Figure, double[], Estimate> estimate) {
    EnumMap<Figure, List<Double>> values = new EnumMap<>(Figure.class);
    for (RunRecord run : runs) {
      figures
          .apply(run)
          .forEach(
              (figure, value) -> {
                if (!value.isNaN()) {
                  values.computeIfAbsent(figure, unused -> new ArrayList<>()).add(value);
                }
              });
    }
    EnumMap<Figure, Estimate> estimates = new EnumMap<>(Figure.class);
    values.forEach(
        (figure, list) -> {
          double[] array = list.stream().mapToDouble(Double::doubleValue).toArray();
          estimates.put(figure, estimate.apply(figure, array));
        });
    return Collections.unmodifiableMap(estimates);
  }

  /**
   * Returns each series averaged over the runs, in the order of the first run that has it. A run
   * that ended before another makes no attempts any more: its rates go on with 0, and its capacity
   * and its levels, such as connected devices, with their last value.
   */
  public List<Series> meanSeries() {
    List<Series> means = new ArrayList<>();
    for (String name : names(run -> run.series().stream().map(Series::name).toList())) {
      means.add(
          Series.mean(
              runs.stream()
                  .flatMap(run -> run.series().stream())
                  .filter(series -> series.name().equals(name))
                  .toList()));
    }
    return Collections.unmodifiableList(means);
  }

  /** Returns each distribution summed over the runs, in the order of the first run that has it. */
  public List<Distribution> summedDistributions() {
    List<Distribution> sums = new ArrayList<>();
    for (String name :
        names(run -> run.distributions().stream().map(Distribution::name).toList())) {
      sums.add(
          Distribution.sum(
              runs.stream()
                  .flatMap(run -> run.distributions().stream())
                  .filter(distribution -> distribution.name().equals(name))
                  .toList()));
    }
    return Collections.unmodifiableList(sums);
  }

  private List<String> names(Function<RunRecord, List<String>> ofRun) {
    return runs.stream().flatMap(run -> ofRun.apply(run).stream()).distinct().toList();
  }
}
