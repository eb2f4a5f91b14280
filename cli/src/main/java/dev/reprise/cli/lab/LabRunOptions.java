package dev.reprise.cli.lab;

import dev.reprise.cli.base.CommandFailure;
import dev.reprise.core.InvalidSettingException;
import dev.reprise.lab.figure.FigureCondition;
import dev.reprise.lab.scenario.Scenario;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of a run: how often, by how many threads, and the report. */
final class LabRunOptions {
  @Option(
      names = "--runs",
      paramLabel = "N",
      description =
          "How often each policy is run, each time with another seed. Default: as the scenario"
              + " says.")
  private @Nullable Integer runs;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description =
          "The seed of the first run: the same seed always gives the same. Default: as the scenario"
              + " says.")
  private @Nullable Long seed;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description =
          "How many runs go on at a time; changes nothing but how long it takes. Default: all"
              + " processors.")
  private @Nullable Integer threads;

  @Option(
      names = "--report",
      paramLabel = "DIR",
      description = "Write report.html, report.json and CSV files into this folder.")
  private @Nullable Path report;

  @Option(
      names = "--fail-if",
      paramLabel = "CONDITION",
      description =
          "Exit code 7 when a policy's figure, the mean of its runs, is like this: 'peakRatio > 5',"
              + " 'drainP99 >= 15m'. May be given several times. The figures: ./reprise lab"
              + " figures.")
  private List<String> failIf = List.of();

  /** Returns the conditions under which the command is to fail; asked before anything is run. */
  List<FigureCondition> failConditions() {
    try {
      return failIf.stream().map(FigureCondition::read).toList();
    } catch (InvalidSettingException e) {
      throw refused(e);
    }
  }

  static CommandFailure refused(InvalidSettingException condition) {
    return CommandFailure.wrongUsage("--fail-if is " + condition.value() + ": " + condition.rule());
  }

  /** Returns the options that were given and do nothing for what is not simulated in runs. */
  List<String> givenForSimulations() {
    List<String> given = new ArrayList<>();
    if (report != null) {
      given.add("--report");
    }
    if (threads != null) {
      given.add("--threads");
    }
    return given;
  }

  Scenario applied(Scenario scenario) {
    return new Scenario(
        scenario.name(),
        scenario.description(),
        scenario.model(),
        scenario.policies(),
        seed(scenario.seed()),
        runs(scenario.runs()));
  }

  long seed(long usual) {
    return seed == null ? usual : seed;
  }

  int runs(int usual) {
    if (runs != null && (runs < 1 || runs > 10_000)) {
      throw CommandFailure.wrongUsage("--runs is " + runs + ": must be between 1 and 10000");
    }
    return runs == null ? usual : runs;
  }

  int threads() {
    return threads(threads);
  }

  static int threads(@Nullable Integer threads) {
    if (threads == null) {
      return Runtime.getRuntime().availableProcessors();
    }
    if (threads < 1 || threads > 1024) {
      throw CommandFailure.wrongUsage("--threads is " + threads + ": must be between 1 and 1024");
    }
    return threads;
  }

  @Nullable Path report() {
    return report;
  }
}
