package dev.reprise.lab.report;

import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.figure.Series;
import dev.reprise.lab.scenario.CallModel;
import dev.reprise.lab.scenario.Failure;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.lab.scenario.Model;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The part of the runs that is shown, and the times of trouble in it.
 *
 * @param recoverySeconds from when on devices can come back
 * @param shownSeconds until when series are shown
 * @param longestSeconds until when the longest run went on
 * @param binSeconds the width of the widest bins of any series
 * @param troubles outages and what else failed at times
 */
record TimeFrame(
    double recoverySeconds,
    double shownSeconds,
    double longestSeconds,
    double binSeconds,
    List<Trouble> troubles) {
  /** One policy that never recovers must not squeeze the others into a corner. */
  private static final double LONGER_THAN_SHORTEST = 2.5;

  /** Runs that end in the outage, as all devices give up, are shown beyond it. */
  private static final double PAST_RECOVERY = 1.2;

  /** The fewest bins that show a course. */
  private static final int MIN_BINS = 20;

  /** A time in which something was wrong. */
  record Trouble(double from, double to, String name) {}

  static TimeFrame of(Model model, List<Outcome> outcomes) {
    double recovery = model instanceof FleetModel fleet ? seconds(fleet.recovery()) : 0;
    List<Double> ends = new ArrayList<>();
    double longest = 0;
    for (Outcome outcome : outcomes) {
      double length = outcome.series().stream().mapToDouble(Series::lengthSeconds).max().orElse(0);
      double drained = recovery + outcome.mean(Figure.DRAIN_LAST).orElse(length);
      ends.add(Double.isInfinite(drained) ? length : drained);
      longest = Math.max(longest, ends.get(ends.size() - 1));
    }
    double shortest = ends.stream().min(Comparator.naturalOrder()).orElse(1.0);
    double limit = Math.max(shortest, recovery * 1.2) * LONGER_THAN_SHORTEST;
    double within =
        ends.stream().filter(end -> end <= limit).mapToDouble(end -> end).max().orElse(limit);
    // If no device comes back, the time after recovery is shown.
    double shown =
        longest <= limit
            ? Math.max(longest, recovery * PAST_RECOVERY)
            : Math.max(within * 1.25, recovery * 2);
    double bin =
        outcomes.stream()
            .flatMap(outcome -> outcome.series().stream())
            .mapToDouble(Series::binSeconds)
            .max()
            .orElse(1);
    shown = Math.max(shown, Math.min(longest, bin * MIN_BINS));
    return new TimeFrame(recovery, Math.max(shown * 1.02, 1), longest, bin, troubles(model));
  }

  boolean isCut() {
    return longestSeconds > shownSeconds;
  }

  private static List<Trouble> troubles(Model model) {
    List<Failure> failures =
        model instanceof FleetModel fleet
            ? fleet.failures()
            : model instanceof CallModel calls ? calls.failures() : List.of();
    List<Trouble> troubles = new ArrayList<>();
    for (Failure failure : failures) {
      if (failure instanceof Failure.Outage outage) {
        troubles.add(new Trouble(seconds(outage.from()), seconds(outage.to()), "outage"));
      } else if (failure instanceof Failure.BrownOut brownOut) {
        troubles.add(new Trouble(seconds(brownOut.from()), seconds(brownOut.to()), "brown-out"));
      } else if (failure instanceof Failure.Trace trace) {
        for (Failure.Interval interval : trace.intervals()) {
          troubles.add(new Trouble(seconds(interval.from()), seconds(interval.to()), "failures"));
        }
      }
    }
    return troubles;
  }

  static double seconds(Duration duration) {
    return duration.getSeconds() + duration.getNano() / 1e9;
  }
}
