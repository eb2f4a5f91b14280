package dev.reprise.lab.choose;

import dev.reprise.common.text.AmountText;
import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.scenario.FleetModel;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Explains why no policy keeps the limits. */
final class MissedLimits {
  private final Limits limits;
  private final List<Candidate> drained;
  private final List<Candidate> eligible;
  private final List<String> reasons = new ArrayList<>();

  private MissedLimits(Limits limits, List<Candidate> drained, List<Candidate> eligible) {
    this.limits = limits;
    this.drained = drained;
    this.eligible = eligible;
  }

  /**
   * Returns the reasons.
   *
   * @param drained those that bring all devices back
   * @param eligible those of them that may be recommended, whatever the limits
   * @param tried those of them that were looked at closely
   */
  static List<String> of(
      Task task, List<Candidate> drained, List<Candidate> eligible, Trials tried) {
    if (drained.isEmpty()) {
      return List.of("No policy that was tried brings all devices back before the run ends.");
    }
    MissedLimits why = new MissedLimits(task.limits(), drained, eligible);
    if (!eligible.isEmpty()) {
      why.addLimits();
      why.addNearest(tried);
    }
    why.addLeftOut(task.model());
    return List.copyOf(why.reasons);
  }

  private void addLimits() {
    if (limits.peakRatio() != null) {
      reasons.add(
          "The lowest peak is "
              + Sentences.number(least(eligible, Figure.PEAK_RATIO))
              + " times the capacity; asked for were "
              + Sentences.number(limits.peakRatio())
              + "."
              + beyond(Figure.PEAK_RATIO, ""));
    }
    if (limits.p99() != null) {
      reasons.add(
          "99 % are back after "
              + AmountText.seconds(least(eligible, Figure.DRAIN_P99))
              + " at the soonest; asked for were "
              + AmountText.seconds(limits.p99())
              + "."
              + beyond(Figure.DRAIN_P99, " s"));
    }
    if (limits.attempts() != null) {
      reasons.add(
          "The fewest attempts after recovery are "
              + Sentences.number(least(eligible, Figure.ATTEMPTS_AFTER_RECOVERY))
              + " for each device; asked for were "
              + Sentences.number(limits.attempts())
              + "."
              + beyond(Figure.ATTEMPTS_AFTER_RECOVERY, ""));
    }
  }

  /** The trade-off shows those that were left out too. */
  private String beyond(Figure figure, String unit) {
    double least = least(drained, figure);
    return least < least(eligible, figure)
        ? " Policies that are left out reach " + Sentences.number(least) + unit + "."
        : "";
  }

  private void addNearest(Trials tried) {
    Comparator<Confirmation> nearest =
        Comparator.comparingDouble(each -> limits.excess(each.expected()));
    tried.simulated().stream()
        .min(nearest)
        .ifPresentOrElse(
            each ->
                reasons.add(
                    AmountText.count(tried.simulated().size())
                        + " keep the limits by the mean field, and none device by device. Nearest"
                        + " comes "
                        + each.candidate().name()
                        + (Candidate.figure(each.expected(), Figure.DRAIN_LAST)
                                == Double.POSITIVE_INFINITY
                            ? ", with devices that are not back when the run ends."
                            : beyondOne(limits.excess(each.expected())))),
            () -> addNearestSolved(tried.solved()));
  }

  private void addNearestSolved(List<Candidate> solved) {
    solved.stream()
        .min(Comparator.comparingDouble(each -> limits.excess(each.figures())))
        .ifPresent(
            each ->
                reasons.add(
                    "Nearest to all limits together comes "
                        + each.name()
                        + beyondOne(limits.excess(each.figures()))));
  }

  private static String beyondOne(double excess) {
    return ", " + AmountText.percent(excess - 1) + " beyond one of them.";
  }

  private void addLeftOut(FleetModel model) {
    int out = drained.size() - eligible.size();
    if (out == 0) {
      return;
    }
    double found =
        drained.stream().filter(each -> !PolicyChooser.isClean(model, each.policy())).count();
    reasons.add(
        "Policies that bring all devices back: "
            + AmountText.count(drained.size())
            + "; left out for what the linter finds: "
            + AmountText.count(found)
            + "; because the first retry comes later than "
            + AmountText.seconds(FirstRetry.SOON_SECONDS)
            + " on average: "
            + AmountText.count(out - found)
            + ".");
  }

  private static double least(List<Candidate> candidates, Figure figure) {
    return candidates.stream().mapToDouble(each -> each.figure(figure)).min().orElseThrow();
  }
}
