package dev.reprise.bench.lab;

import dev.reprise.bench.common.Launcher;
import java.util.List;

/** The benchmarks of the lab; see {@code bench/run}. */
public final class LabBench {
  private LabBench() {}

  /** Runs the benchmark that the arguments name, as {@link Launcher#main} does. */
  public static void main(String[] args) throws Exception {
    Launcher.main(
        List.of(
            FleetBenchmark.million(),
            FleetBenchmark.tenMillion(),
            new Hold(),
            new MeanFieldBenchmark(),
            new ChooseBenchmark()),
        args);
  }
}
