package dev.reprise.lab.fleet;

import dev.reprise.lab.figure.Distribution;
import dev.reprise.lab.figure.FleetBins;
import dev.reprise.lab.figure.FleetFigures;
import dev.reprise.lab.figure.FleetTally;
import dev.reprise.lab.figure.RunRecord;
import dev.reprise.lab.figure.SecondPeaks;
import dev.reprise.lab.figure.Series;
import dev.reprise.lab.figure.TimeBins;
import dev.reprise.lab.kernel.Seconds;
import dev.reprise.lab.scenario.Capacity;
import dev.reprise.lab.scenario.Failure;
import dev.reprise.lab.scenario.FleetModel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Counts the events of a run. Attempts of the fleet are {@code unreachable + refused +
 * failedByChance + successes}; those of overactive devices are beside it.
 */
final class FleetCounts {
  private static final int MAX_SERIES_BINS = 20_000;

  private final FleetModel model;
  private final int devices;
  private final long recoveryTick;

  private final FleetBins arrivals;
  private final FleetBins returns;
  private final FleetBins overactive;
  private final SecondPeaks peaks = new SecondPeaks();
  private final LogHistogram attempts = new LogHistogram(6);
  private final LogHistogram delays = new LogHistogram(2);

  private long tick;
  private long arrivalsInTick;
  private long returnsInTick;
  private long overactiveInTick;

  private long attemptsAfterRecovery;
  private long unreachable;
  private long refused;
  private long failedByChance;
  private long successes;
  private long stranded;
  private long away;
  private long events;

  /**
   * Creates empty counts.
   *
   * @param devices how many the fleet has, without the overactive ones
   */
  FleetCounts(FleetModel model, int devices) {
    this.model = model;
    this.devices = devices;
    this.recoveryTick = TickTime.ticks(model.recovery());
    this.arrivals = bins(TickTime.TICKS_PER_SECOND / 10);
    this.returns = bins(TickTime.TICKS_PER_SECOND / 100);
    this.overactive = bins(TickTime.TICKS_PER_SECOND);
  }

  private FleetBins bins(long ticksPerBin) {
    return new FleetBins(
        TickTime.tickSeconds(1), ticksPerBin, recoveryTick, Seconds.of(model.recovery()));
  }

  /** Goes to a later tick. */
  void moveTo(long later) {
    if (arrivalsInTick > 0) {
      arrivals.add(tick, (double) arrivalsInTick);
      peaks.add(
          Math.floorDiv(tick - recoveryTick, (long) TickTime.TICKS_PER_SECOND),
          (double) arrivalsInTick);
      events += arrivalsInTick;
      if (tick >= recoveryTick) {
        attemptsAfterRecovery += arrivalsInTick;
      }
      arrivalsInTick = 0;
    }
    if (returnsInTick > 0) {
      returns.add(tick, (double) returnsInTick);
      successes += returnsInTick;
      returnsInTick = 0;
    }
    if (overactiveInTick > 0) {
      overactive.add(tick, (double) overactiveInTick);
      events += overactiveInTick;
      overactiveInTick = 0;
    }
    tick = later;
  }

  void arrived() {
    arrivalsInTick++;
  }

  void arrivedOveractive() {
    overactiveInTick++;
  }

  void unreachable() {
    unreachable++;
  }

  void refused() {
    refused++;
  }

  void failedByChance() {
    failedByChance++;
  }

  void returned(int attemptsMade) {
    returnsInTick++;
    attempts.add(attemptsMade, 1);
  }

  void stranded(int attemptsMade) {
    stranded++;
    attempts.add(attemptsMade, 1);
  }

  /** A device is still away when the run ends. */
  void away(int attemptsMade) {
    away++;
    attempts.add(attemptsMade, 1);
  }

  void delayed(long ticks) {
    delays.add(ticks, 1);
  }

  /** Returns how many devices of the fleet are neither back nor have given up. */
  long unsettled() {
    return devices - successes - returnsInTick - stranded;
  }

  long unreachableAttempts() {
    return unreachable;
  }

  long refusedAttempts() {
    return refused;
  }

  long attemptsFailedByChance() {
    return failedByChance;
  }

  long successes() {
    return successes;
  }

  long strandedDevices() {
    return stranded;
  }

  long devicesAway() {
    return away;
  }

  /**
   * Returns all that is known of the run. The counts must not be used after that.
   *
   * @param endTick when it ended
   */
  RunRecord toRecord(long seed, long endTick) {
    moveTo(endTick);
    FleetTally tally =
        new FleetTally(
            devices,
            arrivals.toBins(),
            returns.toBins(),
            peaks.before(),
            peaks.after(),
            attemptsAfterRecovery,
            (double) successes + failedByChance,
            refused,
            stranded,
            TickTime.tickSeconds(endTick),
            false);
    return new RunRecord(
        seed,
        FleetFigures.of(model, tally),
        series(tally, endTick),
        List.of(
            attempts.toDistribution(Distribution.ATTEMPTS, "", 1),
            delays.toDistribution(Distribution.DELAYS, "s", TickTime.TICKS_PER_SECOND),
            waits(tally.returns())),
        events);
  }

  private Distribution waits(TimeBins returns) {
    LogHistogram waits = new LogHistogram(4);
    for (int i = 0; i < returns.counts().length; i++) {
      long wait = Math.round(returns.middle(i) * TickTime.TICKS_PER_SECOND) - recoveryTick;
      waits.add(Math.max(0, wait), (long) returns.counts()[i]);
    }
    return waits.toDistribution(Distribution.WAITS, "s", TickTime.TICKS_PER_SECOND);
  }

  private List<Series> series(FleetTally tally, long endTick) {
    double widest = Math.max(tally.arrivals().widestSeconds(), tally.returns().widestSeconds());
    long binTicks = TickTime.TICKS_PER_SECOND;
    while (endTick / binTicks >= MAX_SERIES_BINS
        || binTicks < Math.round(widest * TickTime.TICKS_PER_SECOND)) {
      binTicks *= 10;
    }
    int length = (int) (endTick / binTicks) + 1;
    double binSeconds = TickTime.tickSeconds(binTicks);
    double[] arrived = tally.arrivals().inBinsOf(binSeconds, length);
    double[] succeeded = tally.returns().inBinsOf(binSeconds, length);
    double[] failed = new double[length];
    double[] connected = new double[length];
    double back = 0;
    for (int i = 0; i < length; i++) {
      back += succeeded[i];
      connected[i] = back;
      failed[i] = (arrived[i] - succeeded[i]) / binSeconds;
      arrived[i] /= binSeconds;
      succeeded[i] /= binSeconds;
    }
    List<Series> series = new ArrayList<>();
    series.add(new Series(Series.ARRIVALS, "/s", binSeconds, arrived));
    series.add(new Series(Series.SUCCESSES, "/s", binSeconds, succeeded));
    series.add(new Series(Series.FAILURES, "/s", binSeconds, failed));
    series.add(new Series(Series.CAPACITY, "/s", binSeconds, capacity(binSeconds, length)));
    series.add(new Series(Series.CONNECTED, "", binSeconds, connected));
    if (model.overactive().of(model.devices()) > 0) {
      double[] theirs = overactive.toBins().inBinsOf(binSeconds, length);
      Arrays.setAll(theirs, i -> theirs[i] / binSeconds);
      series.add(new Series(Series.OVERACTIVE, "/s", binSeconds, theirs));
    }
    return series;
  }

  /** No device can be served while the service is unreachable. */
  private double[] capacity(double binSeconds, int length) {
    Capacity capacity = Capacity.of(model);
    double[] perSecond = new double[length];
    for (int i = 0; i < length; i++) {
      double from = i * binSeconds;
      double could = capacity.between(from, from + binSeconds) / binSeconds;
      perSecond[i] = isOut(from + binSeconds / 2) ? 0 : could;
    }
    return perSecond;
  }

  private boolean isOut(double second) {
    for (Failure failure : model.failures()) {
      if (failure instanceof Failure.Outage outage
          && outage.zone().zones() == 1
          && second >= outage.from().toNanos() / 1e9
          && second < outage.to().toNanos() / 1e9) {
        return true;
      }
    }
    return false;
  }
}
