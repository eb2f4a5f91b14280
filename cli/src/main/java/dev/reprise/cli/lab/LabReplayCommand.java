package dev.reprise.cli.lab;

import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.CommandFailure;
import dev.reprise.cli.base.InputFile;
import dev.reprise.cli.base.Json;
import dev.reprise.cli.base.PolicyArgument;
import dev.reprise.cli.terminal.Terminal.Style;
import dev.reprise.cli.terminal.Words;
import dev.reprise.common.text.HarmlessText;
import dev.reprise.core.InvalidSettingException;
import dev.reprise.lab.figure.FigureCondition;
import dev.reprise.lab.figure.PolicyResult;
import dev.reprise.lab.replay.AttemptLog;
import dev.reprise.lab.replay.FailureReplay;
import dev.reprise.lab.replay.LogException;
import dev.reprise.lab.replay.RecordedFailures;
import dev.reprise.lab.replay.Replay;
import dev.reprise.lab.scenario.Scenario;
import dev.reprise.policy.Policy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.node.ObjectNode;

/** Shows what another policy would have done with failures that really happened. */
@Command(
    name = "replay",
    description = {
      "Show what another policy would have done with failures that really happened.",
      "FILE is either the attempts of deliveries, as `deliveries export` prints them or as CSV, or"
          + " a CSV of times in which an endpoint failed: 14:02,14:31 or 2026-11-21T14:02:00Z,..."
          + " In the second case new calls come at --rate, from the first failure until as long"
          + " again after the last."
    },
    footer = {
      "  ./reprise deliveries export orders-1 > attempts.jsonl",
      "  ./reprise lab replay attempts.jsonl notification-http mine.json",
      "  ./reprise lab replay failures.csv notification-http reprise-default --rate 20/s"
    })
final class LabReplayCommand extends BaseCommand {
  private static final String USUAL_RATE = "10/s";

  @Parameters(index = "0", paramLabel = "FILE", description = "What happened; - for the input.")
  private String file = "";

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "POLICY",
      description = "The policies to try, each " + PolicyArgument.FORMS + ".")
  private List<String> policies = List.of();

  @Option(
      names = "--endpoint",
      paramLabel = "NAME",
      description = "Whose failures, where a CSV of failures has several.")
  private @Nullable String endpoint;

  @Option(
      names = "--rate",
      paramLabel = "RATE",
      description = "With a CSV of failures: how often calls come. Default: " + USUAL_RATE + ".")
  private @Nullable String rateGiven;

  @Mixin private LabRunOptions runs = new LabRunOptions();

  @Override
  public Integer call() throws InterruptedException {
    Map<String, Policy> tried = LabCompareCommand.policies(policies, terminal());
    String text = file.equals("-") ? InputFile.standardInput(terminal()) : InputFile.text(file);
    return FailureReplay.isOfFailures(text) ? ofFailures(text, tried) : ofAttempts(text, tried);
  }

  private int ofFailures(String text, Map<String, Policy> tried) throws InterruptedException {
    Scenario scenario;
    try {
      scenario =
          FailureReplay.scenario(
              PolicyArgument.nameOf(file),
              RecordedFailures.read(text).trace(endpoint),
              rateGiven == null ? USUAL_RATE : rateGiven,
              tried);
    } catch (LogException e) {
      throw CommandFailure.wrongUsage(file + ": " + e.getMessage());
    } catch (InvalidSettingException e) {
      throw e.field().equals("failures")
          ? CommandFailure.wrongUsage(file + " has no failure: " + e.rule())
          : refused(e);
    }
    return new LabRun(this, runs).run(scenario);
  }

  private int ofAttempts(String text, Map<String, Policy> tried) {
    requireForAttempts();
    List<FigureCondition> conditions = runs.failConditions();
    AttemptLog log;
    try {
      log = AttemptLog.read(text);
    } catch (LogException e) {
      throw CommandFailure.wrongUsage(file + ": " + e.getMessage());
    }
    Replay.Answer answer = Replay.run(log, tried, runs.seed(1), runs.runs(1));
    if (json()) {
      root().printedAsJson(json(answer));
      return judged(conditions, answer);
    }
    terminal()
        .line(
            terminal().styled(HarmlessText.visible(PolicyArgument.nameOf(file)), Style.BOLD)
                + ": "
                + Words.count(log.deliveries().size(), "delivery")
                + " to "
                + Words.count(log.failures().size(), "endpoint"));
    terminal().line("");
    LabTable.withRecord(terminal(), answer).print(terminal(), "  ");
    return judged(conditions, answer);
  }

  private int judged(List<FigureCondition> conditions, Replay.Answer answer) {
    return LabRun.judged(this, conditions, List.of(new LabRun.Judged("", answer.policies())));
  }

  /** Attempts are what they were, by endpoint and in time: there is nothing to simulate. */
  private void requireForAttempts() {
    List<String> given = new ArrayList<>(runs.givenForSimulations());
    if (rateGiven != null) {
      given.add("--rate");
    }
    if (endpoint != null) {
      given.add("--endpoint");
    }
    if (!given.isEmpty()) {
      throw wrongUsage(
          String.join(" and ", given)
              + (given.size() == 1 ? " is" : " are")
              + " for a CSV of failures: "
              + file
              + " has attempts");
    }
  }

  private static ObjectNode json(Replay.Answer answer) {
    ObjectNode json = Json.object();
    LabTable.putFigures(json.putObject("asItWas"), answer.asItWas().figures());
    ObjectNode policies = json.putObject("policies");
    for (PolicyResult result : answer.policies()) {
      LabTable.putFigures(policies.putObject(result.name()), LabTable.means(result));
    }
    return json;
  }
}
