package dev.reprise.bench.smithy;

import com.sun.management.OperatingSystemMXBean;
import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
import dev.reprise.bench.common.Launcher;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Generates and compiles the errors of every model in a folder; see {@code bench/run}. */
public final class SmithyBench implements Benchmark {
  /**
   * The models that a user of AWS begins with; they are timed from the start of the virtual
   * machine.
   */
  private static final List<String> TIMED =
      List.of("dynamodb.json", "s3.json", "sqs.json", "sns.json");

  private static final int MAX_FAILURE_LINES = 10;

  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private final List<Path> models;

  private SmithyBench(List<Path> models) {
    this.models = models;
  }

  /**
   * Runs the benchmark as {@link Launcher#main} does, with the models of the folder that the first
   * argument names.
   */
  public static void main(String[] args) throws Exception {
    SmithyBench benchmark = new SmithyBench(models(Path.of(args[0])));
    Launcher.main(List.of(benchmark), Arrays.copyOfRange(args, 1, args.length));
  }

  @Override
  public String name() {
    return "smithy-models";
  }

  @Override
  public String goal() {
    return models.stream().filter(SmithyBench::isTimed).count() == TIMED.size()
        ? "core<=10s,failed<=0"
        : "failed<=0";
  }

  @Override
  public String run(Effort effort, PrintStream out) throws IOException {
    List<ModelRun> runs = new ArrayList<>();
    String figures = "";
    try (WarningFreeCompiler compiler = new WarningFreeCompiler()) {
      for (Path model : models.stream().filter(SmithyBench::isTimed).toList()) {
        runs.add(ModelRun.of(model, compiler));
      }
      if (runs.size() == TIMED.size()) {
        figures = timed(runs, out) + " ";
      }
      int others = effort.choose(0, models.size());
      for (Path model : models.stream().filter(model -> !isTimed(model)).limit(others).toList()) {
        runs.add(ModelRun.of(model, compiler));
      }
    }
    List<ModelRun> failed = runs.stream().filter(run -> !run.failure().isEmpty()).toList();
    failed.forEach(run -> printFailure(run, out));
    printTotals(runs, failed.size(), out);
    return figures + "models=" + runs.size() + " failed=" + failed.size();
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

  private static String timed(List<ModelRun> runs, PrintStream out) {
    out.printf(
        "%-16s %6s %6s %10s %8s %10s %10s%n",
        "MODEL", "ERRORS", "TYPES", "COMPANIONS", "LOAD", "GENERATE", "COMPILE");
    for (ModelRun run : runs) {
      out.printf(
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
    return String.format(Locale.ROOT, "core=%.2fs wall=%.2fs", coreSeconds, secondsSinceStart());
  }

  private static void printFailure(ModelRun run, PrintStream out) {
    out.println(run.name() + ":");
    run.failure().lines().limit(MAX_FAILURE_LINES).forEach(line -> out.println("  " + line));
  }

  private static void printTotals(List<ModelRun> runs, int failed, PrintStream out) {
    out.printf(
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
