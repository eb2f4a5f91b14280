package dev.reprise.lab.report;

import dev.reprise.lab.figure.Estimate;
import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.scenario.Model;
import java.util.ArrayList;
import java.util.List;

/** Describes in plain words the effect of the policies as a value of the scenario changed. */
final class SweepFindings {
  /** A gain is often paid for with another figure. */
  private static final int FIGURES = 2;

  private static final List<Figure> TOLD =
      List.of(
          Figure.DRAIN_LAST,
          Figure.PEAK_RATIO,
          Figure.SUCCESS,
          Figure.GOODPUT,
          Figure.LATENCY_P99,
          Figure.ATTEMPTS,
          Figure.WASTED_WORK);

  private final SweepResult sweep;
  private final List<List<Outcome>> points;

  private SweepFindings(SweepResult sweep) {
    this.sweep = sweep;
    this.points = sweep.points().stream().map(point -> Outcome.all(point.results())).toList();
  }

  /** One sentence on what is told, and one for each policy, for each of two figures. */
  static List<String> of(Model model, SweepResult sweep) {
    SweepFindings findings = new SweepFindings(sweep);
    List<String> sentences = new ArrayList<>();
    TOLD.stream()
        .filter(findings::differs)
        .limit(FIGURES)
        .forEach(figure -> sentences.addAll(findings.sentences(Wording.of(model), figure)));
    return sentences;
  }

  private boolean differs(Figure figure) {
    return points.stream()
            .flatMap(List::stream)
            .flatMapToDouble(outcome -> outcome.mean(figure).stream())
            .distinct()
            .count()
        > 1;
  }

  private List<String> sentences(Wording wording, Figure figure) {
    List<String> sentences = new ArrayList<>();
    sentences.add(
        "As %s goes from %s to %s, %s changes (%s):"
            .formatted(
                sweep.parameter(),
                value(0),
                value(points.size() - 1),
                figure.key(),
                wording.meaning(figure)));
    for (Outcome policy : points.get(0)) {
      List<Reached> reached = reached(policy.name(), figure);
      if (!reached.isEmpty()) {
        sentences.add(sentence(policy.name(), figure, reached));
      }
    }
    return sentences;
  }

  /** The figure that a policy reached at a point. */
  private record Reached(int point, double mean) {}

  private List<Reached> reached(String name, Figure figure) {
    List<Reached> reached = new ArrayList<>();
    for (int i = 0; i < points.size(); i++) {
      Estimate estimate = SweepCharts.estimate(points.get(i), name, figure);
      if (estimate != null) {
        reached.add(new Reached(i, estimate.mean()));
      }
    }
    return reached;
  }

  private String sentence(String name, Figure figure, List<Reached> reached) {
    Reached first = reached.get(0);
    Reached last = reached.get(reached.size() - 1);
    String from = Numbers.shown(first.mean(), figure);
    if (reached.stream().allMatch(one -> Numbers.shown(one.mean(), figure).equals(from))) {
      return "With \u201c%s\u201d it is %s at every value.".formatted(name, from);
    }
    String ends =
        "With \u201c%s\u201d it is %s at %s and %s at %s"
            .formatted(
                name,
                from,
                value(first.point()),
                Numbers.shown(last.mean(), figure),
                value(last.point()));
    Reached best = best(figure, reached);
    return best.equals(first) || best.equals(last)
        ? ends + "; " + value(best.point()) + " is the best."
        : "%s; the best is %s at %s."
            .formatted(ends, Numbers.shown(best.mean(), figure), value(best.point()));
  }

  private static Reached best(Figure figure, List<Reached> reached) {
    Reached best = reached.get(0);
    for (Reached one : reached) {
      boolean better =
          figure.better() == Figure.Better.HIGHER
              ? one.mean() > best.mean()
              : one.mean() < best.mean();
      best = better ? one : best;
    }
    return best;
  }

  private String value(int point) {
    return sweep.shown(point);
  }
}
