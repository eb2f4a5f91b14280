package dev.reprise.bench.service;

import java.util.List;
import java.util.Locale;

/** Runs one benchmark by name; see {@code bench/run}. */
public final class Bench {
  private static final List<Benchmark> ALL =
      List.of(
          new Throughput(),
          new PublishLatency(),
          new FirstAttempt(),
          new Parked(),
          new SlowEndpoint(),
          new HangingEndpoints(),
          new VaryingLatency());

  private Bench() {}

  /** {@code --list}, or the name of a benchmark. */
  public static void main(String[] args) throws Exception {
    if (args.length == 1 && args[0].equals("--list")) {
      for (Benchmark benchmark : ALL) {
        System.out.printf(
            Locale.ROOT,
            "%-18s %s%n%-18s goal: %s; needs: %s%n",
            benchmark.name(),
            benchmark.what(),
            "",
            benchmark.goal(),
            benchmark.needs());
      }
      return;
    }
    for (Benchmark benchmark : ALL) {
      if (args.length == 1 && benchmark.name().equals(args[0])) {
        String result = benchmark.run(System.out);
        String goal = benchmark.goal();
        System.out.printf(
            "%s %s goal=%s %s%n", benchmark.name(), result, goal, Goal.verdict(goal, result));
        System.exit(0); // Event loops of clients may still run.
      }
    }
    System.err.println("bench: name a benchmark; bench/run --list names them all");
    System.exit(2);
  }
}
