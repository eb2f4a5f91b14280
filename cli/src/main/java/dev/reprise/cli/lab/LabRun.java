package dev.reprise.cli.lab;

import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.CommandFailure;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.terminal.Progress;
import dev.reprise.common.text.AmountText;
import dev.reprise.core.InvalidSettingException;
import dev.reprise.lab.Lab;
import dev.reprise.lab.figure.FigureCondition;
import dev.reprise.lab.figure.PolicyResult;
import dev.reprise.lab.lint.PolicyLinter;
import dev.reprise.lab.lint.SimulatedFleet;
import dev.reprise.lab.lint.Situation;
import dev.reprise.lab.report.Note;
import dev.reprise.lab.report.Report;
import dev.reprise.lab.report.SweepResult;
import dev.reprise.lab.report.SweepValues;
import dev.reprise.lab.scenario.CallModel;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.lab.scenario.Scenario;
import dev.reprise.lab.scenario.Variant;
import dev.reprise.policy.Policy;
import dev.reprise.policy.preview.Finding;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs scenarios with a line of progress, prints what came out, and writes the report. */
public final class LabRun {
  private static final String NOT_IDEMPOTENT =
      "is not declared idempotent, so calls that time out or fail are not retried, only those that"
          + " are refused or do not get through.";

  private final BaseCommand command;
  private final LabRunOptions options;
  private final Progress progress;

  LabRun(BaseCommand command, LabRunOptions options) {
    this.command = command;
    this.options = options;
    this.progress = new Progress(command.terminal());
  }

  /** Runs one scenario; the exit code is 0 whatever came out, but for what was asked about it. */
  int run(Scenario scenario) throws InterruptedException {
    List<FigureCondition> conditions = options.failConditions();
    Scenario asked = options.applied(scenario);
    List<PolicyResult> results = results(asked, "");
    tell(new Report(asked, results, notes(asked, results), null));
    return judged(command, conditions, List.of(new Judged("", results)));
  }

  /**
   * Results under conditions.
   *
   * @param where before the name of a policy
   */
  record Judged(String where, List<PolicyResult> results) {}

  /** Prints which conditions are fulfilled, and returns the exit code. */
  static int judged(BaseCommand command, List<FigureCondition> conditions, List<Judged> judged) {
    List<String> broken = new ArrayList<>();
    for (FigureCondition condition : conditions) {
      for (Judged one : judged) {
        fulfilled(condition, one)
            .forEach(
                said ->
                    broken.add(
                        one.where()
                            + said
                            + ", and --fail-if '"
                            + condition.text()
                            + "' was asked for"));
      }
    }
    broken.forEach(command.terminal()::error);
    return broken.isEmpty() ? ExitCode.DONE : ExitCode.CONDITION;
  }

  private static List<String> fulfilled(FigureCondition condition, Judged judged) {
    try {
      return condition.fulfilled(judged.results());
    } catch (InvalidSettingException e) {
      throw LabRunOptions.refused(e);
    }
  }

  /**
   * Runs the variants of a sweep one after the other.
   *
   * @param base the scenario without its sweep, which the report is about
   */
  int sweep(Scenario base, List<Variant> variants) throws InterruptedException {
    List<FigureCondition> conditions = options.failConditions();
    if (variants.size() < 2) {
      throw CommandFailure.wrongUsage("--values must be at least two");
    }
    SweepValues values = SweepValues.of(variants);
    String repeated = values.repeated(variants);
    if (repeated != null) {
      throw CommandFailure.wrongUsage("--values has " + repeated + " twice: must differ");
    }
    List<SweepResult.Point> points = new ArrayList<>();
    List<Judged> judged = new ArrayList<>();
    for (Variant variant : variants) {
      String what = variant.field() + " = " + variant.value() + ": ";
      List<PolicyResult> results = results(options.applied(variant.scenario()), what);
      points.add(values.point(points.size(), variant, results));
      judged.add(new Judged(what, results));
    }
    Scenario asked = options.applied(base);
    SweepResult sweep =
        new SweepResult(variants.get(0).field(), values.unit(), SweepValues.inOrder(points));
    List<PolicyResult> results = results(asked, "as it is: ");
    tell(new Report(asked, results, notes(asked, results), sweep));
    return judged(command, conditions, judged);
  }

  private List<PolicyResult> results(Scenario scenario, String what) throws InterruptedException {
    long started = System.nanoTime();
    progress.show(what + "running");
    try {
      return new Lab(options.threads(), (done, all) -> show(what, done, all, started))
          .run(scenario);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.failed(scenario.name() + ": " + e.getMessage());
    } finally {
      synchronized (progress) {
        progress.clear();
      }
    }
  }

  private void show(String what, int done, int all, long startedNanos) {
    long spentMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startedNanos);
    String left =
        done == all
            ? ""
            : ", about "
                + AmountText.rough(Duration.ofMillis(spentMillis * (all - done) / done))
                + " left";
    synchronized (progress) {
      progress.show(what + done + " of " + all + " runs" + left);
    }
  }

  private static List<Note> notes(Scenario scenario, List<PolicyResult> results) {
    List<Note> notes = new ArrayList<>();
    for (PolicyResult result : results) {
      Policy policy = result.policy();
      if (scenario.model() instanceof FleetModel fleet) {
        SimulatedFleet simulated = SimulatedFleet.of(fleet, result.runs());
        for (Finding finding : PolicyLinter.lint(policy, Situation.of(fleet), simulated)) {
          // The report itself shows that devices are never back.
          if (!finding.rule().equals(PolicyLinter.NEVER_BACK)) {
            notes.add(new Note(result.name(), finding.problem(), finding.proof()));
          }
        }
      }
      boolean idempotent = policy.toStrategyPolicy().calls().idempotent();
      if (scenario.model() instanceof CallModel && policy.maxRetries() > 0 && !idempotent) {
        notes.add(new Note(result.name(), NOT_IDEMPOTENT, ""));
      }
    }
    return notes;
  }

  private void tell(Report report) {
    Path folder = options.report();
    if (folder != null) {
      write(report, folder);
    }
    if (command.json()) {
      command.terminal().line(report.json().stripTrailing());
      return;
    }
    new LabSummary(command.terminal(), report).print();
    if (folder != null) {
      command.terminal().note("report: " + folder.resolve(Report.FILES.get(0)));
    }
  }

  private static void write(Report report, Path folder) {
    try {
      report.writeTo(folder);
    } catch (IOException e) {
      String reason = Files.isRegularFile(folder) ? "it is a file" : e.getMessage();
      throw CommandFailure.failed("--report " + folder + " cannot be written: " + reason);
    }
  }
}
