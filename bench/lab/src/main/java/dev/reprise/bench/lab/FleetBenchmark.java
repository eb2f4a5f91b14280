package dev.reprise.bench.lab;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.figure.RunRecord;
import dev.reprise.lab.fleet.FleetSimulation;
import dev.reprise.lab.scenario.Costs;
import dev.reprise.lab.scenario.Failure;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.lab.scenario.Hint;
import dev.reprise.lab.scenario.Minority;
import dev.reprise.lab.scenario.Overactive;
import dev.reprise.lab.scenario.Quota;
import dev.reprise.policy.BudgetPolicy;
import dev.reprise.policy.CallSettings;
import dev.reprise.policy.Policy;
import dev.reprise.policy.StrategyKind;
import dev.reprise.policy.StrategyPolicy;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A fleet that comes back after an outage of 60 s under full jitter of 1 s to 64 s, to the last
 * device, at a quota that would take 200 s at best. One thread, the whole run with its figures.
 */
final class FleetBenchmark implements Benchmark {
  private static final double FLOOR_SECONDS = 200;

  static final Policy POLICY =
      policy(Backoff.exponential(Duration.ofSeconds(1), Duration.ofSeconds(64)).withFullJitter());

  private final String name;
  private final int devices;
  private final double goalSeconds;
  private final int rounds;

  private FleetBenchmark(String name, int devices, double goalSeconds, int rounds) {
    this.name = name;
    this.devices = devices;
    this.goalSeconds = goalSeconds;
    this.rounds = rounds;
  }

  static FleetBenchmark million() {
    return new FleetBenchmark("fleet-million", 1_000_000, 1, 11);
  }

  static FleetBenchmark tenMillion() {
    return new FleetBenchmark("fleet-ten-million", 10_000_000, 10, 3);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String goal() {
    return String.format(Locale.ROOT, "cpu<=%.0fs,bytes/device<=32,events/s>=10M", goalSeconds);
  }

  @Override
  public String run(Effort effort, PrintStream out) {
    List<Measured> measured = new ArrayList<>();
    long events = 0;
    out.printf(
        Locale.ROOT,
        "%-8s %9s %9s %12s %12s %10s%n",
        "round",
        "seconds",
        "cpu s",
        "M events/s",
        "B/device",
        "last s");
    // The first is what a single run costs, with all compiling; it does not count.
    for (int round = 0; round <= (effort == Effort.QUICK ? 1 : rounds); round++) {
      RunRecord[] record = new RunRecord[1];
      long seed = round;
      Measured one =
          Measured.of(() -> record[0] = FleetSimulation.run(model(devices, 0), POLICY, seed));
      events = record[0].events();
      if (round > 0) {
        measured.add(one);
      }
      row(
          out,
          round == 0 ? "cold" : "" + round,
          one,
          events,
          record[0].figures().getOrDefault(Figure.DRAIN_LAST, Double.NaN));
    }
    Measured median =
        new Measured(
            Measured.median(measured, Measured::seconds),
            Measured.median(measured, Measured::cpuSeconds),
            (long) Measured.median(measured, Measured::allocatedBytes));
    row(out, "median", median, events, Double.NaN);
    return String.format(
        Locale.ROOT,
        "ratio=%.2f wall=%.2fs cpu=%.2fs bytes/device=%.1f events/s=%.1fM",
        median.cpuSeconds() / goalSeconds,
        median.seconds(),
        median.cpuSeconds(),
        (double) median.allocatedBytes() / devices,
        events / median.cpuSeconds() / 1e6);
  }

  private void row(PrintStream out, String round, Measured one, long events, double lastSeconds) {
    out.printf(
        Locale.ROOT,
        "%-8s %9.3f %9.3f %12.1f %12.1f %10s%n",
        round,
        one.seconds(),
        one.cpuSeconds(),
        events / one.cpuSeconds() / 1e6,
        (double) one.allocatedBytes() / devices,
        Double.isNaN(lastSeconds) ? "" : String.format(Locale.ROOT, "%.1f", lastSeconds));
  }

  static FleetModel model(int devices, double rejectionCost) {
    return new FleetModel(
        devices,
        Duration.ofMillis(100),
        new Quota(devices / FLOOR_SECONDS, Duration.ofMillis(100), rejectionCost),
        Duration.ZERO,
        List.of(new Failure.Outage(Duration.ZERO, Duration.ofSeconds(60), Failure.Zone.ALL)),
        new Hint.None(),
        Overactive.NONE,
        Minority.NONE,
        Costs.NONE,
        Duration.ofHours(4));
  }

  static Policy policy(Backoff backoff) {
    return new StrategyPolicy(
        StrategyKind.STANDARD,
        Policy.UNLIMITED,
        backoff,
        backoff,
        new BudgetPolicy.Unlimited(),
        Duration.ofDays(1),
        false,
        false,
        CallSettings.NONE);
  }
}
