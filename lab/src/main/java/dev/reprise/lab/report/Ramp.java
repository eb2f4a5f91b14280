package dev.reprise.lab.report;

import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.figure.RunRecord;
import dev.reprise.lab.figure.Series;
import dev.reprise.lab.scenario.CallModel;
import dev.reprise.lab.scenario.Model;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A load that rises and then falls again.
 *
 * @param steps of the load, at least five
 * @param peak the index of the highest of them
 * @param untilSeconds when the last of them ends
 */
record Ramp(List<CallModel.Step> steps, int peak, double untilSeconds) {
  /** A step has come back in which at least half of its load is served. */
  private static final double GOOD = 0.5;

  /** Returns the ramp of a model, or null when its load is none. */
  static @Nullable Ramp of(Model model) {
    if (!(model instanceof CallModel calls)
        || !(calls.clients().load() instanceof CallModel.Load.Open open)
        || open.steps().size() < 5) {
      return null;
    }
    List<CallModel.Step> steps = open.steps();
    int peak = peak(steps);
    for (int i = 1; i < steps.size(); i++) {
      double change = steps.get(i).perSecond() - steps.get(i - 1).perSecond();
      if (i <= peak ? change < 0 : change > 0) {
        return null;
      }
    }
    return peak < 2 || peak > steps.size() - 3
        ? null
        : new Ramp(steps, peak, TimeFrame.seconds(calls.duration()));
  }

  private static int peak(List<CallModel.Step> steps) {
    int peak = 0;
    for (int i = 1; i < steps.size(); i++) {
      peak = steps.get(i).perSecond() > steps.get(peak).perSecond() ? i : peak;
    }
    return peak;
  }

  /** The load of each step and the mean goodput in its second half, when it has settled. */
  List<double[]> loop(@Nullable Series successes) {
    List<double[]> loop = new ArrayList<>();
    if (successes == null) {
      return loop;
    }
    for (int i = 0; i < steps.size(); i++) {
      double from = TimeFrame.seconds(steps.get(i).from());
      double to = i + 1 < steps.size() ? TimeFrame.seconds(steps.get(i + 1).from()) : untilSeconds;
      int first = (int) ((from + to) / 2 / successes.binSeconds());
      int last = Math.min((int) (to / successes.binSeconds()), successes.values().length);
      double sum = 0;
      for (int bin = first; bin < last; bin++) {
        sum += successes.values()[bin];
      }
      if (last > first) {
        loop.add(new double[] {steps.get(i).perSecond(), sum / (last - first)});
      }
    }
    return loop;
  }

  /** Returns in how many of the runs the service stayed down until the ramp had ended. */
  int staysDown(List<RunRecord> runs) {
    int down = 0;
    for (RunRecord run : runs) {
      down += staysDown(run) ? 1 : 0;
    }
    return down;
  }

  private boolean staysDown(RunRecord run) {
    double width = run.figures().getOrDefault(Figure.HYSTERESIS, 0.0);
    // Less than a whole load of the way up: there was one at which it came back.
    if (width <= 0 || steps.subList(0, peak + 1).stream().noneMatch(step -> is(step, width))) {
      return false;
    }
    Series successes =
        run.series().stream()
            .filter(series -> series.name().equals(Series.SUCCESSES))
            .findFirst()
            .orElse(null);
    List<double[]> loop = loop(successes);
    return loop.size() > peak + 1
        && loop.subList(peak + 1, loop.size()).stream()
            .noneMatch(point -> point[1] >= GOOD * point[0]);
  }

  private static boolean is(CallModel.Step step, double width) {
    return Math.abs(step.perSecond() - width) <= 1e-9 * width;
  }
}
