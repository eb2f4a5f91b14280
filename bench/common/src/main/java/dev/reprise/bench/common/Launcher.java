package dev.reprise.bench.common;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** Runs benchmarks of one part by name; {@code bench/run} finds the part. */
public final class Launcher {
  private static final String QUICK = "--quick";

  private Launcher() {}

  /**
   * Runs what the arguments name and ends the virtual machine: with 0 if every goal is met, with 1
   * if one is missed, with 2 if no benchmark has the name.
   *
   * @param all the benchmarks of the part
   * @param arguments the name of a benchmark, or {@code all}, and perhaps {@code --quick}
   * @throws Exception when a benchmark failed
   */
  public static void main(List<? extends Benchmark> all, String... arguments) throws Exception {
    // Event loops and timers of what was measured may still run.
    System.exit(run(all, System.out, System.err, arguments));
  }

  static int run(
      List<? extends Benchmark> all, PrintStream out, PrintStream err, String... arguments)
      throws Exception {
    List<String> names = new ArrayList<>(List.of(arguments));
    Effort effort = names.remove(QUICK) ? Effort.QUICK : Effort.FULL;
    List<? extends Benchmark> chosen =
        names.equals(List.of("all"))
            ? all
            : all.stream().filter(some -> names.equals(List.of(some.name()))).toList();
    if (chosen.isEmpty()) {
      err.println("bench: name a benchmark; bench/run --list names them all");
      return 2;
    }
    List<String> results = new ArrayList<>();
    boolean met = true;
    for (Benchmark benchmark : chosen) {
      String figures = benchmark.run(effort, out);
      String verdict = Goal.verdict(benchmark.goal(), figures);
      met &= verdict.equals(Goal.MET);
      String result =
          benchmark.name() + " " + figures + " goal=" + benchmark.goal() + " " + verdict;
      results.add(result);
      out.println(result);
    }
    if (results.size() > 1) {
      // Between the tables they are hard to compare.
      out.println();
      results.forEach(out::println);
    }
    return met ? 0 : 1;
  }
}
