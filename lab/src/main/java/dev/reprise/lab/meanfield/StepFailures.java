package dev.reprise.lab.meanfield;

import dev.reprise.lab.kernel.Seconds;
import dev.reprise.lab.scenario.Failure;
import java.time.Duration;
import java.util.List;
import java.util.TreeSet;

/** The failures in a step. Moments count from the middle of a step. */
final class StepFailures {
  private final List<Failure> failures;
  private final double stepSeconds;
  private final TreeSet<Long> changes = new TreeSet<>();

  StepFailures(List<Failure> failures, double stepSeconds) {
    this.failures = failures;
    this.stepSeconds = stepSeconds;
    changes.add(0L);
    for (Failure failure : failures) {
      if (failure instanceof Failure.Outage outage) {
        addChanges(outage.from(), outage.to());
      } else if (failure instanceof Failure.BrownOut brownOut) {
        addChanges(brownOut.from(), brownOut.to());
      } else if (failure instanceof Failure.Trace trace) {
        trace.intervals().forEach(interval -> addChanges(interval.from(), interval.to()));
      }
    }
  }

  private void addChanges(Duration from, Duration to) {
    changes.add(stepOf(from));
    changes.add(stepOf(to));
  }

  private long stepOf(Duration moment) {
    return Math.round(Seconds.of(moment) / stepSeconds);
  }

  /** Returns the first step from the given one on at which anything changes. */
  long nextChange(long step) {
    Long next = changes.ceiling(step);
    return next == null ? Long.MAX_VALUE : next;
  }

  /** Returns the chance that an attempt fails that was accepted. */
  double chance(long step) {
    double good = 1;
    for (Failure failure : failures) {
      if (failure instanceof Failure.Random random) {
        good *= 1 - random.probability();
      } else if (failure instanceof Failure.Trace trace) {
        for (Failure.Interval interval : trace.intervals()) {
          if (isWithin(step, interval.from(), interval.to())) {
            good *= 1 - interval.probability();
          }
        }
      }
    }
    return 1 - good;
  }

  /** Returns whether devices at a place in the fleet, from 0 to 1, cannot reach the service. */
  boolean isOut(long step, double place) {
    for (Failure failure : failures) {
      if (failure instanceof Failure.Outage outage
          && isWithin(step, outage.from(), outage.to())
          && (int) (place * outage.zone().zones()) == outage.zone().index()) {
        return true;
      }
    }
    return false;
  }

  private boolean isWithin(long step, Duration from, Duration to) {
    return step >= stepOf(from) && step < stepOf(to);
  }
}
