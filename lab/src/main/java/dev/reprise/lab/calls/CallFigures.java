package dev.reprise.lab.calls;

import dev.reprise.lab.figure.ArrivalFigures;
import dev.reprise.lab.figure.BinCounter;
import dev.reprise.lab.figure.Distribution;
import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.figure.RunRecord;
import dev.reprise.lab.figure.Series;
import dev.reprise.lab.scenario.CallModel;
import dev.reprise.lab.scenario.Speed;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * The figures of a run, computed from its counts.
 *
 * <ul>
 *   <li>{@code attempts}: attempts to reach the service, those of layers included, by calls; so
 *       without layers it is what the clients make, and with them by how much they multiply.
 *   <li>{@code goodput}: calls that succeeded in the measured time, by what the service could have
 *       served in it, each as fast as when it is alone, brown-outs taken off; absent when there is
 *       no limit to that.
 *   <li>{@code wastedWork}: the share of the work that went into refusals, failures, and answers
 *       that no client waited for.
 *   <li>{@code stranded}: calls that gave up, or were still going when the run was cut off.
 *   <li>{@code peakDuringOutage}, {@code peakAfterRecovery}, {@code peakToMean}, {@code dispersion}
 *       and {@code strongestLine} as for fleets. Recovery is when the last outage, brown-out or
 *       recorded failure is over, and the end of the warm-up when there is none.
 *   <li>{@code feltOutage = E[X²] / (2 E[X])}, X the time from one success to the next: how long a
 *       newcomer has to wait for the next success.
 *   <li>{@code hysteresis}: see {@link LoadSteps}.
 *   <li>{@code collapsed}: 1 when there is a hysteresis; where the load is no ramp, when in the
 *       last tenth of the measured time fewer than half as many calls succeed as begin. Absent
 *       where none begin then.
 * </ul>
 */
final class CallFigures {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double MICROS_PER_SECOND = 1e6;

  /** A system is in its good state in which at least half of the calls succeed. */
  private static final double GOOD = 0.5;

  private final CallModel model;
  private final CallTally tally;
  private final Speed speed;
  private final Map<Figure, Double> figures = new EnumMap<>(Figure.class);

  private CallFigures(CallModel model, CallTally tally, Speed speed) {
    this.model = model;
    this.tally = tally;
    this.speed = speed;
  }

  static RunRecord record(CallModel model, Run run, long seed) {
    CallFigures made = new CallFigures(model, run.tally, run.speed);
    made.calls();
    made.service();
    made.arrivals();
    return new RunRecord(
        seed, made.figures, made.series(), made.distributions(), run.heap.occurred());
  }

  private void calls() {
    long calls = tally.measuredBegun();
    figures.put(Figure.STRANDED, (double) calls - tally.measuredSuccesses());
    if (calls > 0) {
      figures.put(Figure.ATTEMPTS, (double) tally.measuredAttempts() / calls);
      figures.put(Figure.SUCCESS, (double) tally.measuredSuccesses() / calls);
      long[] latencies = tally.sortedLatenciesNanos();
      figures.put(Figure.LATENCY_P50, latencySeconds(latencies, 0.5));
      figures.put(Figure.LATENCY_P99, latencySeconds(latencies, 0.99));
    }
    figures.put(Figure.FELT_OUTAGE, feltOutageSeconds());
    OptionalDouble hysteresis = tally.steps.hysteresis();
    hysteresis.ifPresent(load -> figures.put(Figure.HYSTERESIS, load));
    if (hysteresis.isPresent()) {
      figures.put(Figure.COLLAPSED, hysteresis.getAsDouble() > 0 ? 1.0 : 0.0);
    } else {
      collapsedAtTheEnd();
    }
  }

  private void collapsedAtTheEnd() {
    double to = tally.toNanos() / NANOS_PER_SECOND;
    double from = to - (to - tally.fromNanos() / NANOS_PER_SECOND) / 10;
    double begun = tally.offered.bins().between(from, to);
    if (begun > 0) {
      double succeeded = tally.successes.bins().between(from, to);
      figures.put(Figure.COLLAPSED, succeeded < GOOD * begun ? 1.0 : 0.0);
    }
  }

  private double feltOutageSeconds() {
    if (tally.goodSuccesses() == 0) {
      return Double.POSITIVE_INFINITY;
    }
    double measuredNanos = (double) tally.toNanos() - tally.fromNanos();
    return tally.squaredGaps() / (2 * measuredNanos) / NANOS_PER_SECOND;
  }

  private static double latencySeconds(long[] sorted, double share) {
    long latency = sorted[(int) Math.ceil(share * sorted.length) - 1];
    return latency == CallTally.NEVER ? Double.POSITIVE_INFINITY : latency / NANOS_PER_SECOND;
  }

  private void service() {
    if (tally.work() > 0) {
      figures.put(Figure.WASTED_WORK, tally.wastedWork() / tally.work());
    }
    if (!model.service().time().mean().isZero()) {
      double meanSeconds = model.service().time().mean().toNanos() / NANOS_PER_SECOND;
      figures.put(Figure.SERVER_CPU, tally.work() * meanSeconds);
    }
    double could =
        capacityPerSecond()
            * speed.workNanos(tally.fromNanos(), tally.toNanos())
            / NANOS_PER_SECOND;
    if (could > 0 && could < Double.POSITIVE_INFINITY) {
      figures.put(Figure.GOODPUT, tally.goodSuccesses() / could);
    }
  }

  /** Returns how many requests a second the service can serve at most, or infinity. */
  private double capacityPerSecond() {
    CallModel.Service service = model.service();
    double ofServers =
        service.servers() == 0 || service.time().mean().isZero()
            ? Double.POSITIVE_INFINITY
            : service.servers() * NANOS_PER_SECOND / service.time().mean().toNanos();
    double ofQuota =
        service.quota() == null ? Double.POSITIVE_INFINITY : service.quota().perSecond();
    return Math.min(ofServers, ofQuota);
  }

  private void arrivals() {
    long recoveryNanos = model.recovery().toNanos();
    double startSeconds = Math.max(recoveryNanos, tally.fromNanos()) / NANOS_PER_SECOND;
    double endSeconds = tally.toNanos() / NANOS_PER_SECOND;
    if (startSeconds >= endSeconds) {
      return;
    }
    ArrivalFigures arrivals =
        new ArrivalFigures(tally.attempts.bins(), startSeconds, endSeconds, figures);
    arrivals.peaks(tally.attempts.bins().between(startSeconds, endSeconds));
    arrivals.rhythm(false);
    // Before the end of the warm-up there was no outage.
    if (recoveryNanos == 0) {
      figures.remove(Figure.PEAK_DURING_OUTAGE);
    }
    Double peak = figures.get(Figure.PEAK_AFTER_RECOVERY);
    double capacity = capacityPerSecond();
    if (peak != null && capacity < Double.POSITIVE_INFINITY) {
      figures.put(Figure.PEAK_RATIO, peak / capacity);
    }
  }

  private List<Series> series() {
    long end = tally.endNanos();
    List<Series> series = new ArrayList<>();
    series.add(tally.offered.perSecond(Series.OFFERED, "/s", end));
    series.add(tally.attempts.perSecond(Series.ARRIVALS, "/s", end));
    series.add(tally.successes.perSecond(Series.SUCCESSES, "/s", end));
    series.add(tally.failures.perSecond(Series.FAILURES, "/s", end));
    series.add(tally.levels.perSecond(Series.QUEUE, "", end));
    double capacity = capacityPerSecond();
    if (capacity < Double.POSITIVE_INFINITY) {
      BinCounter work = new BinCounter();
      speed.forEachSpan(
          end, (from, to, share) -> work.add(from, to, capacity * share / NANOS_PER_SECOND));
      series.add(work.perSecond(Series.CAPACITY, "/s", end));
    }
    return series;
  }

  private List<Distribution> distributions() {
    return List.of(
        tally.attemptsOfCalls.distribution(Distribution.ATTEMPTS, "", 1),
        tally.delaysMicros.distribution(Distribution.DELAYS, "s", MICROS_PER_SECOND),
        tally.waitsMicros.distribution(Distribution.WAITS, "s", MICROS_PER_SECOND));
  }
}
