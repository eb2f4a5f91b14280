package dev.reprise.bench.retry;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * A comparison of the time and memory that one operation takes.
 *
 * <p>Every fork is a JVM of its own that runs one row. The rows that the goal looks at get three
 * forks each, in turns, so that a machine that becomes slower meanwhile does so for all of them;
 * rows beside them get one.
 *
 * @param name of the comparison
 * @param rows in the order of the table
 * @param target the goal of the rows of ours, the slowest of which counts
 */
record JmhComparison(String name, List<Row> rows, Target target) implements Benchmark {
  private static final int FORKS = 3;
  private static final String BYTES = "gc.alloc.rate.norm";

  @Override
  public String goal() {
    return target.toString();
  }

  @Override
  public String run(Effort effort, PrintStream out) throws RunnerException {
    Map<Row, List<RetryFigure>> forks = new LinkedHashMap<>();
    int rounds = effort == Effort.QUICK ? 1 : FORKS;
    for (int round = 1; round <= rounds; round++) {
      for (Row row : rows) {
        if (round == 1 || row.part() != Row.Part.BESIDE) {
          forks.computeIfAbsent(row, r -> new ArrayList<>()).add(fork(row, effort));
        }
      }
    }
    return table(forks, out);
  }

  private String table(Map<Row, List<RetryFigure>> forks, PrintStream out) {
    RetryFigure floor = new RetryFigure(0, 0);
    RetryFigure ours = new RetryFigure(0, 0);
    out.printf(Locale.ROOT, "%-44s %12s %9s %6s%n", name, "ns/op", "B/op", "forks");
    for (Map.Entry<Row, List<RetryFigure>> entry : forks.entrySet()) {
      Row row = entry.getKey();
      RetryFigure figure = RetryFigure.median(entry.getValue());
      switch (row.part()) {
        case FLOOR -> floor = RetryFigure.worst(floor, figure);
        case OURS -> ours = RetryFigure.worst(ours, figure);
        case BESIDE -> {
          // The goal does not look at it.
        }
      }
      out.printf(
          Locale.ROOT,
          "%-44s %12.2f %9.0f %6d%n",
          row.label(),
          figure.nanos(),
          figure.bytes(),
          entry.getValue().size());
    }
    return Target.figures(floor, ours);
  }

  private static RetryFigure fork(Row row, Effort effort) throws RunnerException {
    ChainedOptionsBuilder options = options(row).forks(1).mode(Mode.AverageTime);
    if (effort == Effort.QUICK) {
      time(options, 1, 1, TimeValue.milliseconds(100));
    } else {
      time(options, 3, 5, TimeValue.seconds(1));
    }
    RunResult result =
        new Runner(options.addProfiler(GCProfiler.class).jvmArgs("-Xms256m", "-Xmx256m").build())
            .runSingle();
    List<RetryFigure> iterations =
        result.getBenchmarkResults().stream()
            .flatMap(fork -> fork.getIterationResults().stream())
            .map(JmhComparison::figure)
            .toList();
    return RetryFigure.median(iterations);
  }

  /** Returns the options that all runs of a row have in common. */
  static ChainedOptionsBuilder options(Row row) {
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include("^" + row.benchmark().getName().replace(".", "\\.") + "\\.")
            .threads(row.threads())
            .timeUnit(TimeUnit.NANOSECONDS)
            .shouldFailOnError(true)
            .verbosity(VerboseMode.SILENT);
    row.parameters().forEach(options::param);
    return options;
  }

  private static void time(
      ChainedOptionsBuilder options, int warmups, int measurements, TimeValue each) {
    options
        .warmupIterations(warmups)
        .warmupTime(each)
        .measurementIterations(measurements)
        .measurementTime(each);
  }

  private static RetryFigure figure(IterationResult iteration) {
    Result<?> bytes = iteration.getSecondaryResults().get(BYTES);
    if (bytes == null) {
      throw new IllegalStateException(
          "JMH measured " + iteration.getSecondaryResults().keySet() + ", and no " + BYTES);
    }
    return new RetryFigure(iteration.getPrimaryResult().getScore(), bytes.getScore());
  }
}
