package dev.reprise.bench.retry;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
import dev.reprise.bench.common.Figures;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.StringJoiner;

/**
 * The time that a program pays before its first result: set-up and one call in a new virtual
 * machine.
 */
final class ColdStartComparison implements Benchmark {
  @Override
  public String name() {
    return "cold-start";
  }

  @Override
  public String goal() {
    return "success<=25ms,failure<=30ms";
  }

  @Override
  public String run(Effort effort, PrintStream out) throws IOException, InterruptedException {
    int rounds = effort.choose(3, 15);
    ColdStart.Library[] libraries = ColdStart.Library.values();
    Map<ColdStart.Library, double[][]> nanos = new EnumMap<>(ColdStart.Library.class);
    for (ColdStart.Library library : libraries) {
      nanos.put(library, new double[2][rounds]);
    }
    for (int round = 0; round < rounds; round++) {
      for (ColdStart.Library library : libraries) {
        for (int failures = 0; failures < 2; failures++) {
          String said = run(library, failures).strip();
          measured(nanos, library)[failures][round] = Long.parseLong(said);
        }
      }
    }
    out.printf("%-16s %14s %10s %14s %10s%n", "", "succeeds", "classes", "fails once", "classes");
    for (ColdStart.Library library : libraries) {
      double[][] measured = measured(nanos, library);
      out.printf(
          Locale.ROOT,
          "%-16s %14s %10d %14s %10d%n",
          library,
          Figures.millis(Figures.median(measured[0])),
          classes(library, 0),
          Figures.millis(Figures.median(measured[1])),
          classes(library, 1));
    }
    double[][] ours = measured(nanos, ColdStart.Library.REPRISE);
    return String.format(
        Locale.ROOT,
        "success=%.1fms failure=%.1fms",
        Figures.median(ours[0]) / 1e6,
        Figures.median(ours[1]) / 1e6);
  }

  /** Returns the nanoseconds of a library, by failures and round. */
  private static double[][] measured(
      Map<ColdStart.Library, double[][]> nanos, ColdStart.Library library) {
    return Objects.requireNonNull(nanos.get(library));
  }

  /** Counts in a run of its own, because the log takes time. */
  private static long classes(ColdStart.Library library, int failures)
      throws IOException, InterruptedException {
    return run(library, failures, "-Xlog:class+load=info:stdout")
        .lines()
        .filter(line -> line.contains(" source: "))
        .count();
  }

  /** Returns what the library needs and nothing else: each jar on the way is opened and read. */
  private static String classPath(ColdStart.Library library) {
    StringJoiner path = new StringJoiner(File.pathSeparator);
    path.add(origin(ColdStart.class));
    library.needs().forEach(type -> path.add(origin(type)));
    return path.toString();
  }

  private static String origin(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
    } catch (URISyntaxException e) {
      throw new IllegalStateException(type + " is in no file", e);
    }
  }

  private static String run(ColdStart.Library library, int failures, String... flags)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(flags));
    command.addAll(List.of("-cp", classPath(library)));
    command.addAll(List.of(ColdStart.class.getName(), library.name(), Integer.toString(failures)));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int exitCode = process.waitFor();
    if (exitCode != 0) {
      throw new IllegalStateException(library + " ended with " + exitCode + " and said: " + said);
    }
    return said;
  }
}
