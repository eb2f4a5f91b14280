package dev.reprise.bench.lab;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.figure.RunRecord;
import dev.reprise.lab.meanfield.MeanField;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.policy.Policy;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The answer for a million devices without simulating them; the goal is that of the first case. */
final class MeanFieldBenchmark implements Benchmark {
  private static final double GOAL_SECONDS = 0.05;
  private static final int WARM_UP = 10;

  private record Case(String name, FleetModel model, Policy policy) {}

  private static final List<Case> CASES =
      List.of(
          new Case("drains", FleetBenchmark.model(1_000_000, 0), FleetBenchmark.POLICY),
          new Case(
              "200 times as many", FleetBenchmark.model(200_000_000, 0), FleetBenchmark.POLICY),
          new Case(
              "in step, 2 h",
              FleetBenchmark.model(1_000_000, 0),
              FleetBenchmark.policy(Backoff.truncatedExponential(Duration.ofSeconds(64)))),
          new Case(
              "never drains, 4 h", FleetBenchmark.model(1_000_000, 0.2), FleetBenchmark.POLICY),
          new Case(
              "in step, never",
              FleetBenchmark.model(1_000_000, 0.2),
              FleetBenchmark.policy(Backoff.truncatedExponential(Duration.ofSeconds(64)))));

  @Override
  public String name() {
    return "mean-field";
  }

  @Override
  public String goal() {
    return "wall<=50ms";
  }

  @Override
  public String run(Effort effort, PrintStream out) {
    int rounds = effort == Effort.QUICK ? 3 : 51;
    double first = 0;
    out.printf(
        Locale.ROOT, "%-20s %10s %10s %10s %12s%n", "case", "cold ms", "ms", "cpu ms", "last s");
    for (Case each : CASES) {
      RunRecord[] record = new RunRecord[1];
      Runnable solve = () -> record[0] = MeanField.solve(each.model(), each.policy());
      Measured cold = Measured.of(solve);
      List<Measured> measured = new ArrayList<>();
      for (int round = -WARM_UP; round < rounds; round++) {
        Measured one = Measured.of(solve);
        if (round >= 0) {
          measured.add(one);
        }
      }
      double seconds = Measured.median(measured, Measured::seconds);
      first = first == 0 ? seconds : first;
      out.printf(
          Locale.ROOT,
          "%-20s %10.1f %10.1f %10.1f %12.1f%n",
          each.name(),
          cold.seconds() * 1e3,
          seconds * 1e3,
          Measured.median(measured, Measured::cpuSeconds) * 1e3,
          record[0].figures().getOrDefault(Figure.DRAIN_LAST, Double.NaN));
    }
    return String.format(Locale.ROOT, "ratio=%.2f wall=%.1fms", first / GOAL_SECONDS, first * 1e3);
  }
}
