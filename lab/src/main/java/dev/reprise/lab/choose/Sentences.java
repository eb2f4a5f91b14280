package dev.reprise.lab.choose;

import dev.reprise.common.text.AmountText;
import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.scenario.FleetModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Puts figures into sentences. */
final class Sentences {
  private final FleetModel model;
  private final Task task;
  private final Candidate candidate;

  Sentences(Task task, Candidate candidate) {
    this.task = task;
    this.model = task.model();
    this.candidate = candidate;
  }

  List<String> reasons(int searched, int eligible) {
    double floor = model.devices() / model.quota().perSecond();
    List<String> reasons = new ArrayList<>();
    reasons.add(
        "The last device is back "
            + AmountText.seconds(candidate.figure(Figure.DRAIN_LAST))
            + " after recovery, "
            + ratio(Figure.DRAIN_RATIO)
            + " of the floor N/C = "
            + AmountText.seconds(floor)
            + "; half of them after "
            + AmountText.seconds(candidate.figure(Figure.DRAIN_P50))
            + ", 99 % after "
            + AmountText.seconds(candidate.figure(Figure.DRAIN_P99))
            + ".");
    reasons.add(
        "The busiest second after recovery has "
            + ratio(Figure.PEAK_RATIO)
            + " of the capacity, "
            + AmountText.rate(candidate.figure(Figure.PEAK_AFTER_RECOVERY))
            + ".");
    reasons.add(
        "A device makes "
            + ratio(Figure.ATTEMPTS_AFTER_RECOVERY)
            + " attempts after recovery and "
            + AmountText.count(candidate.figure(Figure.ATTEMPTS))
            + " in all; "
            + AmountText.percent(candidate.figure(Figure.WASTED_WORK))
            + " of the service's work helps nobody.");
    reasons.add(
        "Drain, attempts and peak together are "
            + number(candidate.regret())
            + " times the ideal, the least of the "
            + AmountText.count(eligible)
            + " policies of "
            + AmountText.count(searched)
            + " in which the linter finds nothing and whose first retry comes within "
            + AmountText.seconds(FirstRetry.SOON_SECONDS)
            + " on average"
            + (task.limits().equals(Limits.NONE) ? "" : ", as far as they keep the limits")
            + ".");
    return reasons;
  }

  List<String> caveats(List<WhatIf> whatIf, Confirmation confirmed) {
    List<String> caveats = new ArrayList<>();
    Collapse collapse = Collapse.of(model, candidate.policy());
    if (collapse.capacityPerSecond() == 0) {
      caveats.add("Refusals cost nothing here, so the fleet comes back with any capacity above 0.");
    } else {
      caveats.add(
          "Never recovers if the capacity falls under "
              + AmountText.rate(collapse.capacityPerSecond())
              + ", "
              + AmountText.percent(collapse.capacityShare())
              + " of what it is, or if more than "
              + AmountText.count(collapse.devices())
              + " devices are away at once.");
    }
    for (WhatIf worse : whatIf) {
      double last = Candidate.figure(worse.figures(), Figure.DRAIN_LAST);
      caveats.add(
          "If "
              + worse.change()
              + ", the last device is "
              + (Double.isInfinite(last)
                  ? "not back within the run."
                  : "back after "
                      + AmountText.seconds(last)
                      + ", "
                      + number(Candidate.figure(worse.figures(), Figure.DRAIN_RATIO))
                      + " of the floor then, with a peak of "
                      + number(Candidate.figure(worse.figures(), Figure.PEAK_RATIO))
                      + " times the capacity."));
    }
    if (confirmed.devices() < model.devices()) {
      caveats.add(
          "Simulated were "
              + AmountText.count(confirmed.devices())
              + " of the devices with as much less capacity; chance weighs more there, so the peak"
              + " of the whole fleet is taken to be nearer to that of the mean field.");
    }
    ShortOutage shortened = ShortOutage.of(model, List.of(candidate.policy()));
    if (shortened.cutSeconds() > 0) {
      caveats.add(
          "Of the outage "
              + AmountText.seconds(shortened.model().recovery())
              + " were solved: by then all delays are at the cap and the devices spread evenly, so"
              + " that a longer one ends alike. The attempts are those of all of it.");
    }
    return caveats;
  }

  private String ratio(Figure figure) {
    return number(candidate.figure(figure));
  }

  static String number(double value) {
    return String.format(Locale.ROOT, "%.2f", value);
  }
}
