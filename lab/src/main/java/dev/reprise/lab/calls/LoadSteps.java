package dev.reprise.lab.calls;

import dev.reprise.lab.scenario.CallModel.Load;
import dev.reprise.lab.scenario.CallModel.Step;
import java.util.List;
import java.util.OptionalDouble;

/**
 * Counts the ends of the calls that begin in each step of an open load. Where the load rises and
 * falls again, it tells the hysteresis: a service that collapses under a load and comes back only
 * under a lower one has another state beside the good one.
 */
final class LoadSteps {
  /** A step is good in which at least half of the calls succeed. */
  private static final double GOOD = 0.5;

  private final List<Step> steps;
  private final long[] begun;
  private final long[] succeeded;

  LoadSteps(Load load) {
    this.steps = load instanceof Load.Open open ? open.steps() : List.of();
    this.begun = new long[steps.size()];
    this.succeeded = new long[steps.size()];
  }

  void began(long atNanos) {
    count(begun, atNanos);
  }

  /** A call has succeeded that began at a time. */
  void succeeded(long startNanos) {
    count(succeeded, startNanos);
  }

  private void count(long[] counts, long atNanos) {
    int step = steps.size() - 1;
    while (step > 0 && steps.get(step).from().toNanos() > atNanos) {
      step--;
    }
    if (step >= 0) {
      counts[step]++;
    }
  }

  /**
   * Returns the highest load that was still good on the way up, less the first one that was good
   * again, or 0 when there was none, on the way down: calls a second. Empty when the load does not
   * rise and fall again.
   */
  OptionalDouble hysteresis() {
    int peak = peak();
    if (peak == 0 || peak == steps.size() - 1) {
      return OptionalDouble.empty();
    }
    int bad = 0;
    while (bad < steps.size() && isGood(bad)) {
      bad++;
    }
    if (bad == steps.size()) {
      return OptionalDouble.of(0);
    }
    double up = bad == 0 ? 0 : steps.get(Math.min(bad - 1, peak)).perSecond();
    int good = Math.max(bad, peak) + 1;
    while (good < steps.size() && !(begun[good] > 0 && isGood(good))) {
      good++;
    }
    double down = good >= steps.size() ? 0 : steps.get(good).perSecond();
    return OptionalDouble.of(Math.max(0, up - down));
  }

  private boolean isGood(int step) {
    return succeeded[step] >= GOOD * begun[step];
  }

  /** Returns the step with the highest load, or 0 when the load does not rise to it and fall. */
  private int peak() {
    int peak = 0;
    for (int i = 1; i < steps.size(); i++) {
      double change = steps.get(i).perSecond() - steps.get(i - 1).perSecond();
      if (change > 0 && peak < i - 1) {
        return 0;
      }
      if (change >= 0) {
        peak = i;
      }
    }
    return peak;
  }
}
