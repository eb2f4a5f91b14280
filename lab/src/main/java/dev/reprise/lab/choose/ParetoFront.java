package dev.reprise.lab.choose;

import dev.reprise.lab.figure.Figure;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Finds the Pareto front: candidates of which no other is better in every figure. */
final class ParetoFront {
  private static final List<Figure> OBJECTIVES =
      List.of(Figure.DRAIN_LAST, Figure.PEAK_RATIO, Figure.ATTEMPTS, Figure.WASTED_WORK);

  /** Differences below this are none: it is the width of the steps. */
  private static final double SAME = 0.01;

  private ParetoFront() {}

  /** Returns the front by rising drain; of those that are all but equal, the first given. */
  static List<Candidate> of(List<Candidate> candidates) {
    List<Candidate> sorted = new ArrayList<>(candidates);
    sorted.sort(Comparator.comparingDouble(each -> each.figure(Figure.DRAIN_LAST)));
    List<Candidate> front = new ArrayList<>();
    for (Candidate candidate : sorted) {
      if (sorted.stream().noneMatch(other -> dominates(other, candidate))
          && front.stream().noneMatch(other -> isNowhereWorse(other, candidate, SAME))) {
        front.add(candidate);
      }
    }
    return front;
  }

  private static boolean dominates(Candidate one, Candidate other) {
    return isNowhereWorse(one, other, 0)
        && OBJECTIVES.stream().anyMatch(figure -> one.figure(figure) < other.figure(figure));
  }

  private static boolean isNowhereWorse(Candidate one, Candidate other, double tolerance) {
    return OBJECTIVES.stream()
        .allMatch(figure -> one.figure(figure) <= other.figure(figure) * (1 + tolerance));
  }
}
