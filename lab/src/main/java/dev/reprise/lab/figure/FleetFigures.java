package dev.reprise.lab.figure;

import dev.reprise.lab.scenario.Capacity;
import dev.reprise.lab.scenario.Costs;
import dev.reprise.lab.scenario.FleetModel;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/**
 * The figures of a fleet, computed from its counts. The simulation and the fluid solver both use
 * them, so that the same name has the same meaning.
 *
 * <p>With N devices, capacity C, recovery at R, and the wait of a device {@code w = max(0, return -
 * R)}:
 *
 * <ul>
 *   <li>{@code drainP50} to {@code drainLast}: the wait of the device at which p N devices are
 *       back, of all N; infinite when so many never are. {@code drainRatio = drainLast / (N / C)}.
 *   <li>{@code peakDuringOutage}, {@code peakAfterRecovery}: most attempts in one of the seconds
 *       counted from R, backward and forward. {@code peakRatio} is the latter by C, {@code
 *       peakToMean} by the mean rate of attempts from R until drained.
 *   <li>"Until drained" is until the last return when all devices are back or have given up, and
 *       otherwise until the run ended.
 *   <li>{@code wastedWork = (k refused + served - returned) / (k refused + served)}, k the
 *       rejection cost; {@code serverCpu} is the sum below the line by the work of a success.
 *   <li>{@code goodput}: returns from R until drained by the integral of the capacity, brown-outs
 *       taken off, or by those returns and the devices that gave up when these are more: a fleet
 *       that gave up is not drained, and the service could have gone on. So it is at most 1,
 *       whatever the quota had saved. Without brown-outs, and when all come back after R, it is
 *       {@code 1 / drainRatio}, or 1.
 *   <li>{@code jainIndex = (Σw)² / (n Σw²)} over the n devices that came back; {@code waitP99ToP50
 *       = drainP99 / drainP50}; {@code lastPercentShare = (drainLast - drainP99) / drainLast}.
 *   <li>{@code dispersion}: variance by mean of the attempts in 100 ms, from R until drained, taken
 *       within blocks of 10 s and pooled, so that a load which merely fades is no herd. A fluid
 *       lacks the scatter of chance, which is Poisson's and adds 1.
 *   <li>{@code strongestLine}: see {@link SpectralLine}; from R until drained.
 *   <li>{@code feltOutage = E[X²] / (2 E[X])}, X the time from the start of the run to the return:
 *       what a customer who comes by while the device is away has still to wait on average
 *       (inspection paradox). Infinite when a device never comes back.
 * </ul>
 *
 * <p>{@code collapsed} is 1 when the run ended although devices were away that had not given up.
 *
 * <p>A figure that does not apply is absent: those of costs if they were not requested, those of
 * waits if no device waited, those of rhythm when the run went on for more than two days after
 * recovery.
 */
public final class FleetFigures {
  private final FleetModel model;
  private final FleetTally tally;
  private final double capacityPerSecond;
  private final double recoverySeconds;
  private final double drainedSeconds;
  private final boolean allSettled;
  private final EnumMap<Figure, Double> figures = new EnumMap<>(Figure.class);

  private FleetFigures(FleetModel model, FleetTally tally) {
    this.model = model;
    this.tally = tally;
    this.capacityPerSecond = model.quota().perSecond();
    this.recoverySeconds = seconds(model.recovery());
    double returned = tally.returns().total();
    this.allSettled = returned + tally.stranded() >= tally.devices() * (1 - 1e-9);
    this.drainedSeconds =
        allSettled && returned > 0 ? tally.returns().reaches(returned) : tally.endSeconds();
  }

  /** Returns the figures of a run of the model. */
  public static Map<Figure, Double> of(FleetModel model, FleetTally tally) {
    FleetFigures made = new FleetFigures(model, tally);
    made.drain();
    made.peaks();
    made.work();
    made.fairness();
    return made.figures;
  }

  private void drain() {
    figures.put(Figure.DRAIN_P50, drainSeconds(0.5));
    figures.put(Figure.DRAIN_P90, drainSeconds(0.9));
    figures.put(Figure.DRAIN_P99, drainSeconds(0.99));
    figures.put(Figure.DRAIN_P999, drainSeconds(0.999));
    double last = drainSeconds(1);
    figures.put(Figure.DRAIN_LAST, last);
    figures.put(Figure.DRAIN_RATIO, last / (tally.devices() / capacityPerSecond));
    figures.put(Figure.SUCCESS, tally.returns().total() / tally.devices());
    figures.put(Figure.STRANDED, tally.stranded());
    figures.put(Figure.COLLAPSED, allSettled ? 0.0 : 1.0);
  }

  private double drainSeconds(double share) {
    return Math.max(0, tally.returns().reaches(share * tally.devices()) - recoverySeconds);
  }

  private void peaks() {
    ArrivalFigures arrivals =
        new ArrivalFigures(tally.arrivals(), recoverySeconds, drainedSeconds, figures);
    arrivals.peaks(tally.peakBefore(), tally.peakAfter(), tally.attemptsAfterRecovery());
    figures.put(
        Figure.PEAK_RATIO,
        Objects.requireNonNull(figures.get(Figure.PEAK_AFTER_RECOVERY)) / capacityPerSecond);
    arrivals.rhythm(tally.fluid());
  }

  private void work() {
    double attempts = tally.arrivals().total();
    double perDevice = attempts / tally.devices();
    figures.put(Figure.ATTEMPTS, perDevice);
    figures.put(Figure.ATTEMPTS_AFTER_RECOVERY, tally.attemptsAfterRecovery() / tally.devices());
    double refusing = model.quota().rejectionCost() * tally.refused();
    double work = refusing + tally.served();
    if (work > 0) {
      figures.put(Figure.WASTED_WORK, (refusing + servedInVain()) / work);
    }
    double returns = returnsAfterRecovery();
    double until =
        Capacity.of(model).between(recoverySeconds, Math.max(recoverySeconds, drainedSeconds));
    double could = Math.max(until, returns + tally.stranded());
    if (could > 0) {
      figures.put(Figure.GOODPUT, returns / could);
    }
    Costs costs = model.costs();
    if (costs.bytesPerAttempt() > 0) {
      figures.put(Figure.BYTES_PER_DEVICE, perDevice * costs.bytesPerAttempt());
    }
    if (!costs.workPerSuccess().isZero()) {
      figures.put(Figure.SERVER_CPU, work * seconds(costs.workPerSuccess()));
    }
    if (costs.pricePerMillion() > 0) {
      figures.put(Figure.COST, attempts * costs.pricePerMillion() / 1e6);
    }
  }

  /** Returns how many failed by chance after the service had done its work. */
  private double servedInVain() {
    double inVain = tally.served() - tally.returns().total();
    // Sums of parts of devices differ a little from each other.
    return inVain > tally.served() * 1e-9 ? inVain : 0;
  }

  private double returnsAfterRecovery() {
    double[] returns = tally.returns().counts();
    double sum = 0;
    for (int i = tally.returns().indexOf(recoverySeconds); i < returns.length; i++) {
      sum += returns[i];
    }
    return sum;
  }

  private void fairness() {
    TimeBins returns = tally.returns();
    double devices = 0;
    double waits = 0;
    double squaredWaits = 0;
    double away = 0;
    double squaredAway = 0;
    for (int i = 0; i < returns.counts().length; i++) {
      double count = returns.counts()[i];
      double at = returns.middle(i);
      double wait = Math.max(0, at - recoverySeconds);
      devices += count;
      waits += count * wait;
      squaredWaits += count * wait * wait;
      away += count * at;
      squaredAway += count * at * at;
    }
    if (squaredWaits > 0) {
      figures.put(Figure.JAIN_INDEX, waits * waits / (devices * squaredWaits));
    }
    boolean allBack = devices >= tally.devices() * (1 - 1e-9);
    figures.put(Figure.FELT_OUTAGE, allBack ? squaredAway / (2 * away) : Double.POSITIVE_INFINITY);
    double p50 = drainSeconds(0.5);
    double p99 = drainSeconds(0.99);
    double last = drainSeconds(1);
    if (p50 > 0) {
      figures.put(
          Figure.WAIT_P99_TO_P50, Double.isInfinite(p99) ? Double.POSITIVE_INFINITY : p99 / p50);
    }
    if (last > 0) {
      figures.put(
          Figure.LAST_PERCENT_SHARE,
          Double.isInfinite(last) ? Double.POSITIVE_INFINITY : (last - p99) / last);
    }
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }
}
