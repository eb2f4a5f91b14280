package dev.reprise.lab.report;

import dev.reprise.lab.figure.Distribution;
import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.figure.PolicyResult;
import dev.reprise.lab.figure.RunRecord;
import dev.reprise.lab.figure.Series;
import dev.reprise.lab.scenario.CallModel;
import dev.reprise.lab.scenario.Costs;
import dev.reprise.lab.scenario.Failure;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.lab.scenario.Hint;
import dev.reprise.lab.scenario.Minority;
import dev.reprise.lab.scenario.Model;
import dev.reprise.lab.scenario.Overactive;
import dev.reprise.lab.scenario.Quota;
import dev.reprise.lab.scenario.Scenario;
import dev.reprise.policy.Policy;
import dev.reprise.policy.Presets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Results that look like those of runs, for what is about their form and not their truth. */
final class MadeUp {
  static final int DEVICES = 100_000;
  private static final double CAPACITY = 1_000;
  private static final int RECOVERY = 60;
  private static final Policy POLICY = Presets.policy("reprise-default");

  private MadeUp() {}

  static FleetModel fleet() {
    return new FleetModel(
        DEVICES,
        Duration.ofMillis(100),
        new Quota(CAPACITY, Duration.ofMillis(100), 0.1),
        Duration.ZERO,
        List.of(new Failure.Outage(Duration.ZERO, Duration.ofSeconds(RECOVERY), Failure.Zone.ALL)),
        new Hint.None(),
        Overactive.NONE,
        Minority.NONE,
        Costs.NONE,
        Duration.ofHours(4));
  }

  /** A ramp up and down again, one step in ten seconds. */
  static CallModel ramp() {
    return ramp(Duration.ZERO);
  }

  static CallModel ramp(Duration warmUp) {
    List<CallModel.Step> steps = new ArrayList<>();
    for (int i = 0; i < 17; i++) {
      steps.add(new CallModel.Step(Duration.ofSeconds(10L * i), 10 + 10 * (8 - Math.abs(i - 8))));
    }
    return new CallModel(
        new CallModel.Clients(100, false, new CallModel.Load.Open(steps), Duration.ofSeconds(3)),
        List.of(),
        new CallModel.Service(
            0,
            new CallModel.ServiceTime(
                Duration.ofSeconds(1),
                Duration.ofMillis(10),
                CallModel.ServiceTime.Shape.EXPONENTIAL),
            CallModel.Queue.UNBOUNDED,
            null,
            new Hint.None()),
        Duration.ofMillis(100),
        List.of(),
        warmUp,
        Duration.ofSeconds(170));
  }

  static Scenario scenario(String name, String description, Model model, List<String> policies) {
    Map<String, Policy> byName = new LinkedHashMap<>();
    policies.forEach(policy -> byName.put(policy, POLICY));
    return new Scenario(name, description, model, byName, 1, 3);
  }

  /** A policy whose devices come back at this many times the capacity, when they can. */
  static PolicyResult fleetResult(String name, double overload, int runs) {
    List<RunRecord> records = new ArrayList<>();
    for (int i = 0; i < runs; i++) {
      records.add(fleetRun(overload, i + 1, 900));
    }
    return new PolicyResult(name, POLICY, records);
  }

  static RunRecord fleetRun(double overload, long seed, int seconds) {
    SplittableRandom random = new SplittableRandom(seed);
    List<double[]> rows = new ArrayList<>();
    double back = 0;
    double attempts = 0;
    double peak = 0;
    for (int t = 0; t < seconds && back < DEVICES; t++) {
      double waiting = DEVICES - back;
      double noise = 0.97 + 0.06 * random.nextDouble();
      double offered =
          t == 0 ? DEVICES : Math.max(waiting * overload * CAPACITY / DEVICES, 40) * noise;
      double served =
          t < RECOVERY
              ? 0
              : Math.min(Math.max(0, CAPACITY - 0.1 * offered) / 0.9, Math.min(offered, waiting));
      back += served;
      attempts += t < RECOVERY ? 0 : offered;
      peak = t < RECOVERY ? 0 : Math.max(peak, offered);
      rows.add(new double[] {offered, served, back});
    }
    boolean drained = back >= DEVICES;
    double drain = drained ? rows.size() - RECOVERY : Double.POSITIVE_INFINITY;
    EnumMap<Figure, Double> figures = new EnumMap<>(Figure.class);
    figures.put(Figure.DRAIN_P50, drained ? drain * 0.4 : drain);
    figures.put(Figure.DRAIN_LAST, drain);
    figures.put(Figure.DRAIN_RATIO, drain / (DEVICES / CAPACITY));
    figures.put(Figure.PEAK_RATIO, peak / CAPACITY);
    figures.put(Figure.PEAK_AFTER_RECOVERY, peak);
    figures.put(Figure.ATTEMPTS_AFTER_RECOVERY, attempts / DEVICES);
    figures.put(Figure.SUCCESS, back / DEVICES);
    figures.put(
        Figure.WASTED_WORK,
        0.1 * (attempts - back) / (0.1 * (attempts - back) + Math.max(back, 1)));
    figures.put(Figure.STRONGEST_LINE, 1 + random.nextDouble());
    return new RunRecord(
        seed,
        figures,
        List.of(
            series(Series.ARRIVALS, "/s", rows, 0),
            series(Series.SUCCESSES, "/s", rows, 1),
            new Series(
                Series.CAPACITY, "/s", 1, rows.stream().mapToDouble(row -> CAPACITY).toArray()),
            series(Series.CONNECTED, "", rows, 2)),
        List.of(attempts(overload), delays(overload)),
        rows.size());
  }

  private static Series series(String name, String unit, List<double[]> rows, int column) {
    return new Series(name, unit, 1, rows.stream().mapToDouble(row -> row[column]).toArray());
  }

  private static Distribution attempts(double overload) {
    double[] bounds = new double[24];
    long[] counts = new long[24];
    for (int i = 0; i < bounds.length; i++) {
      bounds[i] = i + 1;
      double from = (i - 2 - overload) / 2;
      counts[i] = Math.round(10_000 / (1 + from * from));
    }
    return new Distribution(Distribution.ATTEMPTS, "", bounds, counts);
  }

  private static Distribution delays(double overload) {
    double[] bounds = new double[60];
    long[] counts = new long[60];
    double bound = 0.01;
    for (int i = 0; i < bounds.length; i++) {
      bound *= 1.17;
      bounds[i] = Numbers.exact(bound).doubleValue();
      counts[i] = Math.round(1_000 * i / (1 + overload));
    }
    return new Distribution(Distribution.DELAYS, "s", bounds, counts);
  }

  /** Calls on the ramp; those of a policy that collapses stay down until the load is small. */
  static PolicyResult rampResult(String name, boolean collapses) {
    List<RunRecord> records = new ArrayList<>();
    for (long seed = 1; seed <= 3; seed++) {
      records.add(rampRun(collapses, seed));
    }
    return new PolicyResult(name, POLICY, records);
  }

  /** Calls on the ramp that fail from the first collapse until it ends. */
  static PolicyResult rampResultThatStaysDown(String name) {
    List<RunRecord> records = new ArrayList<>();
    for (RunRecord run : rampResult(name, true).runs()) {
      EnumMap<Figure, Double> figures = new EnumMap<>(run.figures());
      figures.put(Figure.HYSTERESIS, 70.0);
      List<Series> series = new ArrayList<>();
      for (Series one : run.series()) {
        series.add(one.name().equals(Series.SUCCESSES) ? cutOff(one) : one);
      }
      records.add(new RunRecord(run.seed(), figures, series, run.distributions(), run.events()));
    }
    return new PolicyResult(name, POLICY, records);
  }

  private static Series cutOff(Series series) {
    double[] values = series.values().clone();
    Arrays.fill(values, 70, values.length, 0);
    return new Series(series.name(), series.unit(), series.binSeconds(), values);
  }

  private static RunRecord rampRun(boolean collapses, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    double[] offered = new double[170];
    double[] arrivals = new double[170];
    double[] successes = new double[170];
    double[] queue = new double[170];
    boolean down = false;
    for (int t = 0; t < offered.length; t++) {
      offered[t] = (10 + 10 * (8 - Math.abs(t / 10 - 8))) * (0.97 + 0.06 * random.nextDouble());
      down = collapses && (offered[t] > 70 || (down && offered[t] > 25));
      successes[t] = down ? 4 : Math.min(offered[t], 75);
      arrivals[t] = down ? offered[t] * 3 : offered[t] * 1.05;
      queue[t] = down ? 260 + random.nextInt(20) : offered[t] * 1.2;
    }
    EnumMap<Figure, Double> figures = new EnumMap<>(Figure.class);
    figures.put(Figure.ATTEMPTS, collapses ? 2.4 + random.nextDouble() * 0.1 : 1.05);
    figures.put(Figure.SUCCESS, collapses ? 0.41 + random.nextDouble() * 0.02 : 0.99);
    figures.put(Figure.GOODPUT, collapses ? 0.38 : 0.97);
    figures.put(Figure.LATENCY_P99, collapses ? 9 + random.nextDouble() : 2.8);
    figures.put(Figure.HYSTERESIS, collapses ? 45 : 0.0);
    return new RunRecord(
        seed,
        figures,
        List.of(
            new Series(Series.ARRIVALS, "/s", 1, arrivals),
            new Series(Series.OFFERED, "/s", 1, offered),
            new Series(Series.SUCCESSES, "/s", 1, successes),
            new Series(Series.QUEUE, "", 1, queue)),
        List.of(attempts(collapses ? 3 : 0)),
        1_000);
  }

  static SweepResult sweep(List<String> policies) {
    List<SweepResult.Point> points = new ArrayList<>();
    for (int capacity = 1; capacity <= 8; capacity++) {
      List<PolicyResult> results = new ArrayList<>();
      for (int i = 0; i < policies.size(); i++) {
        results.add(fleetResult(policies.get(i), (2 + 5.0 * i) * 2 / capacity, 3));
      }
      points.add(new SweepResult.Point(500 * capacity, results));
    }
    return new SweepResult("quota.perSecond", "/s", points);
  }

  /** Made once: a report never changes. */
  static Report fleetReport() {
    return Reports.FLEET;
  }

  /** Made once. */
  static String fleetHtml() {
    return Reports.FLEET_HTML;
  }

  /** Those that are made when they are first asked for. */
  private static final class Reports {
    static final Report FLEET = newFleetReport();
    static final String FLEET_HTML = FLEET.html();
  }

  private static Report newFleetReport() {
    List<String> names = List.of("full jitter", "equal jitter", "as printed by the vendor");
    return new Report(
        scenario(
            "Herd after an outage",
            "Every device loses its connection at once and tries to come back. Who floods the"
                + " service, and who is back first?",
            fleet(),
            names),
        List.of(
            fleetResult(names.get(0), 2.5, 3),
            fleetResult(names.get(1), 1.8, 3),
            fleetResult(names.get(2), 9.4, 3)),
        List.of(
            new Note(
                "as printed by the vendor",
                "jitter is lost at the cap",
                "min(2^n s + U(0, 1 s), 64 s) is 64 s for every retry from the seventh on")),
        sweep(names));
  }

  static Report rampReport() {
    List<String> names = List.of("token bucket", "3 retries at once");
    return new Report(
        scenario("Ramp up and down", "", ramp(), names),
        List.of(rampResult(names.get(0), false), rampResult(names.get(1), true)),
        List.of(),
        null);
  }
}
