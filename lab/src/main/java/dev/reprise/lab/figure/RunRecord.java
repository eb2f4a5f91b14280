package dev.reprise.lab.figure;

import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The result of one run of one policy. A figure that does not apply to the model is absent; one
 * that was never reached, such as the return of the last device, is {@link
 * Double#POSITIVE_INFINITY}.
 *
 * @param seed of the run
 * @param figures by figure
 * @param series over time, all from the start of the run
 * @param distributions how quantities are spread
 * @param events how many events were simulated
 */
public record RunRecord(
    long seed,
    Map<Figure, Double> figures,
    List<Series> series,
    List<Distribution> distributions,
    long events) {
  /** Copies the collections. */
  public RunRecord {
    EnumMap<Figure, Double> copy = new EnumMap<>(Figure.class);
    copy.putAll(figures);
    figures = Collections.unmodifiableMap(copy);
    series = List.copyOf(series);
    distributions = List.copyOf(distributions);
  }
}
