package dev.reprise.bench.retry;

import dev.reprise.bench.common.Effort;
import dev.reprise.bench.common.Figures;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Runs {@link Parked} in JVMs of its own, and takes the medians of their figures. */
final class ParkedJvm {
  private static final int FORKS = 3;

  private ParkedJvm() {}

  /** Measures the loops in turns, so that a machine that becomes slower does so for all of them. */
  static List<double[]> measure(Parked.What what, List<AsyncLoop> loops, int calls, Effort effort)
      throws IOException, InterruptedException {
    int forks = effort == Effort.QUICK ? 1 : FORKS;
    double[][][] measured = new double[loops.size()][2][forks];
    for (int fork = 0; fork < forks; fork++) {
      for (int loop = 0; loop < loops.size(); loop++) {
        double[] figures = run(what, loops.get(loop), calls);
        measured[loop][0][fork] = figures[0];
        measured[loop][1][fork] = figures[1];
      }
    }
    List<double[]> medians = new ArrayList<>();
    for (double[][] ofLoop : measured) {
      medians.add(
          new double[] {
            Figures.median(Arrays.stream(ofLoop[0])), Figures.median(Arrays.stream(ofLoop[1]))
          });
    }
    return medians;
  }

  private static double[] run(Parked.What what, AsyncLoop loop, int calls)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xms2g",
                "-Xmx2g",
                "-cp",
                System.getProperty("java.class.path"),
                Parked.class.getName(),
                what.name(),
                loop.name(),
                Integer.toString(calls))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int exitCode = process.waitFor();
    List<String> numbers = List.of(said.strip().split(" ", -1));
    if (exitCode != 0 || numbers.size() != 2) {
      throw new IllegalStateException(loop + " ended with " + exitCode + " and said: " + said);
    }
    return new double[] {Double.parseDouble(numbers.get(0)), Double.parseDouble(numbers.get(1))};
  }
}
