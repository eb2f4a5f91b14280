package dev.reprise.bench.retry;

import dev.reprise.bench.common.Effort;
import dev.reprise.bench.common.Figures;
import dev.reprise.bench.retry.peer.AsyncLoop;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Runs {@link Parked} in JVMs of its own, and takes the medians of their figures. */
final class ParkedJvm {
  private static final int FORKS = 3;

  private ParkedJvm() {}

  /** Measures the loops in turns, so that a machine that becomes slower does so for all of them. */
  static List<double[]> measure(Parked.What what, List<AsyncLoop> loops, int calls, Effort effort)
      throws IOException, InterruptedException {
    int forks = effort == Effort.QUICK ? 1 : FORKS;
    List<List<double[]>> measured = new ArrayList<>();
    loops.forEach(loop -> measured.add(new ArrayList<>()));
    for (int fork = 0; fork < forks; fork++) {
      for (int loop = 0; loop < loops.size(); loop++) {
        measured.get(loop).add(run(what, loops.get(loop), calls));
      }
    }
    return measured.stream().map(ParkedJvm::medians).toList();
  }

  private static double[] medians(List<double[]> forks) {
    return IntStream.range(0, forks.get(0).length)
        .mapToDouble(i -> Figures.median(forks.stream().mapToDouble(fork -> fork[i])))
        .toArray();
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
    if (exitCode != 0) {
      throw new IllegalStateException(loop + " ended with " + exitCode + " and said: " + said);
    }
    return Stream.of(said.strip().split(" ", -1)).mapToDouble(Double::parseDouble).toArray();
  }
}
