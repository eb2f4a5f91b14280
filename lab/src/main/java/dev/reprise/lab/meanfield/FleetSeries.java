package dev.reprise.lab.meanfield;

import dev.reprise.lab.figure.FleetTally;
import dev.reprise.lab.figure.Series;
import dev.reprise.lab.figure.TimeBins;
import dev.reprise.lab.kernel.Seconds;
import dev.reprise.lab.scenario.Capacity;
import dev.reprise.lab.scenario.Failure;
import dev.reprise.lab.scenario.FleetModel;
import java.util.Arrays;
import java.util.List;

/** The series of a fleet, by the second, or by ten and more seconds in long runs. */
final class FleetSeries {
  private static final int MAX_BINS = 20_000;

  private final FleetModel model;
  private final double binSeconds;
  private final int length;

  private FleetSeries(FleetModel model, FleetTally tally) {
    this.model = model;
    double width = 1;
    while (tally.endSeconds() / width >= MAX_BINS
        || width < tally.arrivals().widestSeconds() * 0.999
        || width < tally.returns().widestSeconds() * 0.999) {
      width *= 10;
    }
    this.binSeconds = width;
    this.length = (int) (tally.endSeconds() / width) + 1;
  }

  static List<Series> of(FleetModel model, FleetTally tally) {
    FleetSeries series = new FleetSeries(model, tally);
    double[] arrivals = series.perSecond(tally.arrivals());
    double[] successes = series.perSecond(tally.returns());
    double[] failures = new double[arrivals.length];
    double[] connected = new double[arrivals.length];
    double back = 0;
    for (int i = 0; i < failures.length; i++) {
      failures[i] = Math.max(0, arrivals[i] - successes[i]);
      back += successes[i] * series.binSeconds;
      connected[i] = back;
    }
    return List.of(
        series.named(Series.ARRIVALS, "/s", arrivals),
        series.named(Series.SUCCESSES, "/s", successes),
        series.named(Series.FAILURES, "/s", failures),
        series.named(Series.CAPACITY, "/s", series.capacity()),
        series.named(Series.CONNECTED, "", connected));
  }

  private Series named(String name, String unit, double[] values) {
    return new Series(name, unit, binSeconds, values);
  }

  private double[] perSecond(TimeBins bins) {
    double[] wide = bins.inBinsOf(binSeconds, length);
    Arrays.setAll(wide, i -> wide[i] / binSeconds);
    return wide;
  }

  /** No device can be served while the service is unreachable. */
  private double[] capacity() {
    Capacity capacity = Capacity.of(model);
    double[] perSecond = new double[length];
    Arrays.setAll(
        perSecond,
        i -> {
          double from = i * binSeconds;
          return isOut(from + binSeconds / 2)
              ? 0
              : capacity.between(from, from + binSeconds) / binSeconds;
        });
    return perSecond;
  }

  private boolean isOut(double second) {
    for (Failure failure : model.failures()) {
      if (failure instanceof Failure.Outage outage
          && outage.zone().zones() == 1
          && second >= Seconds.of(outage.from())
          && second < Seconds.of(outage.to())) {
        return true;
      }
    }
    return false;
  }
}
