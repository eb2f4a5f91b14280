package dev.reprise.bench.smithy;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Generates and compiles the errors of every model in a folder; see {@code bench-smithy/run}. */
public final class SmithyBench {
  /** What a user of AWS begins with; these are timed from the start of the virtual machine. */
  private static final List<String> TIMED =
      List.of("dynamodb.json", "s3.json", "sqs.json", "sns.json");

  private static final double GOAL_SECONDS = 10;
  private static final int MOST_LINES_OF_A_FAILURE = 10;

  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private SmithyBench() {}

  /** The folder. */
  public static void main(String[] args) throws IOException {
    if (args.length != 1) {
      System.err.println("bench-smithy: name a folder of Smithy models");
      System.exit(2);
    }
    List<Path> models = models(Path.of(args[0]));
    List<ModelRun> runs = new ArrayList<>();
    boolean met = true;
    try (WarningFreeCompiler compiler = new WarningFreeCompiler()) {
      for (Path model : models.stream().filter(SmithyBench::isTimed).toList()) {
        runs.add(ModelRun.of(model, compiler));
      }
      if (runs.size() == TIMED.size()) {
        met = printTimed(runs, secondsSinceStart());
      }
      for (Path model : models.stream().filter(model -> !isTimed(model)).toList()) {
        runs.add(ModelRun.of(model, compiler));
      }
    }
    List<ModelRun> failed = runs.stream().filter(run -> !run.failure().isEmpty()).toList();
    failed.forEach(SmithyBench::printFailure);
    printTotals(runs, failed.size());
    System.exit(met && failed.isEmpty() && !runs.isEmpty() ? 0 : 1);
  }

  private static boolean isTimed(Path model) {
    return TIMED.contains(model.getFileName().toString());
  }

  private static List<Path> models(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> file.toString().matches(".*\\.(json|smithy)"))
          .sorted(
              Comparator.<Path>comparingInt(file -> TIMED.indexOf(file.getFileName().toString()))
                  .thenComparing(Path::toString))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static double secondsSinceStart() {
    return (System.currentTimeMillis() - ManagementFactory.getRuntimeMXBean().getStartTime())
        / 1000.0;
  }

  private static boolean printTimed(List<ModelRun> runs, double seconds) {
    System.out.printf(
        "%-16s %6s %6s %10s %8s %10s %10s%n",
        "MODEL", "ERRORS", "TYPES", "COMPANIONS", "LOAD", "GENERATE", "COMPILE");
    for (ModelRun run : runs) {
      System.out.printf(
          Locale.ROOT,
          "%-16s %6d %6d %10d %6.2f s %8.2f s %8.2f s%n",
          run.name(),
          run.errors(),
          run.types(),
          run.companions(),
          run.loadSeconds(),
          run.generateSeconds(),
          run.compileSeconds());
    }
    // A busy machine makes the clock on the wall say little.
    double coreSeconds = SYSTEM.getProcessCpuTime() / 1e9;
    boolean met = coreSeconds <= GOAL_SECONDS;
    System.out.printf(
        Locale.ROOT,
        "together, with the start of the virtual machine: %.2f s of a core (%.2f s on the wall),"
            + " goal %.0f s: %s%n%n",
        coreSeconds,
        seconds,
        GOAL_SECONDS,
        met ? "met" : "NOT MET");
    return met;
  }

  private static void printFailure(ModelRun run) {
    System.out.println(run.name() + ":");
    run.failure().lines().limit(MOST_LINES_OF_A_FAILURE).forEach(l -> System.out.println("  " + l));
  }

  private static void printTotals(List<ModelRun> runs, int failed) {
    System.out.printf(
        Locale.ROOT,
        "%,d models in %.1f s (load %.1f s, generate %.1f s, compile %.1f s):"
            + " %,d exceptions, %,d types, %,d companions, %,d notes; %d failed%n",
        runs.size(),
        secondsSinceStart(),
        runs.stream().mapToDouble(ModelRun::loadSeconds).sum(),
        runs.stream().mapToDouble(ModelRun::generateSeconds).sum(),
        runs.stream().mapToDouble(ModelRun::compileSeconds).sum(),
        runs.stream().mapToInt(ModelRun::errors).sum(),
        runs.stream().mapToInt(ModelRun::types).sum(),
        runs.stream().mapToInt(ModelRun::companions).sum(),
        runs.stream().mapToInt(ModelRun::notes).sum(),
        failed);
  }
}
