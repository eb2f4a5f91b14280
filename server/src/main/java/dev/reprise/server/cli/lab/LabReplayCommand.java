package dev.reprise.server.cli.lab;

import dev.reprise.lab.figure.Amounts;
import dev.reprise.lab.figure.PolicyResult;
import dev.reprise.lab.replay.AttemptLog;
import dev.reprise.lab.replay.LogException;
import dev.reprise.lab.replay.RecordedFailures;
import dev.reprise.lab.replay.Replay;
import dev.reprise.lab.scenario.CallModel;
import dev.reprise.lab.scenario.Failure.Interval;
import dev.reprise.lab.scenario.Failure.Trace;
import dev.reprise.lab.scenario.Hint;
import dev.reprise.lab.scenario.RateText;
import dev.reprise.lab.scenario.Scenario;
import dev.reprise.policy.CallSettings;
import dev.reprise.policy.DurationText;
import dev.reprise.policy.Policy;
import dev.reprise.policy.StrategyPolicy;
import dev.reprise.server.cli.base.BaseCommand;
import dev.reprise.server.cli.base.Failure;
import dev.reprise.server.cli.base.InputFile;
import dev.reprise.server.cli.base.Json;
import dev.reprise.server.cli.base.PolicyArgument;
import dev.reprise.server.cli.terminal.Terminal.Style;
import dev.reprise.server.cli.terminal.Words;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
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
  /** The end of a trace matters as much as the trace. */
  private static final Duration AFTERWARDS = Duration.ofMinutes(1);

  /** So many take half a minute or so. */
  private static final double MOST_CALLS = 5e6;

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
    return isFailures(text) ? ofFailures(text, tried) : ofAttempts(text, tried);
  }

  /** Attempts have a delivery, and failures do not. */
  private static boolean isFailures(String text) {
    String start = text.stripLeading();
    if (start.startsWith("{") || start.startsWith("[")) {
      return false;
    }
    String first = start.lines().findFirst().orElse("");
    return !first.contains("delivery") && first.split(",", -1).length < 5;
  }

  private int ofFailures(String text, Map<String, Policy> tried) throws InterruptedException {
    Trace trace;
    try {
      trace = RecordedFailures.read(text).trace(endpoint);
    } catch (LogException e) {
      throw Failure.wrongUsage(file + ": " + e.getMessage());
    } catch (IllegalArgumentException e) {
      throw wrongUsage("--" + e.getMessage());
    }
    String rate = rateGiven == null ? USUAL_RATE : rateGiven;
    OptionalDouble perSecond = RateText.read(rate);
    if (perSecond.isEmpty() || perSecond.getAsDouble() == 0) {
      throw wrongUsage("--rate is " + rate + ": " + RateText.RULE + ", more than 0");
    }
    if (trace.intervals().isEmpty()) {
      throw Failure.wrongUsage(file + " has no failure: must have a line such as 14:02,14:31");
    }
    Duration end = Duration.ZERO;
    Duration down = Duration.ZERO;
    for (Interval interval : trace.intervals()) {
      end = interval.to();
      down = down.plus(interval.to().minus(interval.from()));
    }
    Duration duration = end.multipliedBy(2).plus(AFTERWARDS);
    double calls = perSecond.getAsDouble() * Amounts.inSeconds(duration);
    if (calls > MOST_CALLS) {
      throw wrongUsage(
          "--rate is "
              + rate
              + ": "
              + Amounts.count(calls)
              + " calls in "
              + DurationText.inWords(duration)
              + " are too many; must give at most "
              + Amounts.count(MOST_CALLS));
    }
    String situation =
        "The endpoint fails for "
            + DurationText.inWords(down)
            + " of "
            + DurationText.inWords(duration)
            + ", in which "
            + Amounts.count(calls)
            + " calls come, "
            + rate
            + ".";
    CallModel model =
        new CallModel(
            new CallModel.Clients(
                1,
                true,
                new CallModel.Load.Open(
                    List.of(new CallModel.Step(Duration.ZERO, perSecond.getAsDouble()))),
                null),
            List.of(),
            new CallModel.Service(
                0,
                new CallModel.ServiceTime(
                    Duration.ZERO, Duration.ZERO, CallModel.ServiceTime.Shape.FIXED),
                CallModel.Queue.UNBOUNDED,
                null,
                new Hint.None()),
            Duration.ZERO,
            List.of(trace),
            Duration.ZERO,
            duration);
    return new LabRun(this, runs)
        .run(new Scenario(PolicyArgument.nameOf(file), situation, model, repeatable(tried), 1, 1));
  }

  /** Deliveries may come twice: that is the contract of at least once. */
  private static Map<String, Policy> repeatable(Map<String, Policy> policies) {
    Map<String, Policy> repeatable = new LinkedHashMap<>();
    policies.forEach(
        (name, policy) -> {
          StrategyPolicy said = policy.toStrategyPolicy();
          CallSettings calls = said.calls();
          repeatable.put(
              name,
              new StrategyPolicy(
                  said.strategy(),
                  said.maxAttempts(),
                  said.backoff(),
                  said.throttleBackoff(),
                  said.budget(),
                  said.hintCeiling(),
                  said.clampsHints(),
                  said.delaysLongPolls(),
                  new CallSettings(
                      calls.deadline(),
                      calls.attemptTimeout(),
                      calls.hedging(),
                      /* idempotent= */ true)));
        });
    return repeatable;
  }

  private int ofAttempts(String text, Map<String, Policy> tried) {
    requireForAttempts();
    List<LabFailCondition> conditions = runs.failConditions();
    AttemptLog log;
    try {
      log = AttemptLog.read(text);
    } catch (LogException e) {
      throw Failure.wrongUsage(file + ": " + e.getMessage());
    }
    Replay.Answer answer = Replay.run(log, tried, runs.seed(1), runs.runs(1));
    if (json()) {
      root().printedAsJson(json(answer));
      return judged(conditions, answer);
    }
    terminal()
        .line(
            terminal().styled(Words.safe(PolicyArgument.nameOf(file)), Style.BOLD)
                + ": "
                + Words.count(log.deliveries().size(), "delivery")
                + " to "
                + Words.count(log.failures().size(), "endpoint"));
    terminal().line("");
    LabTable.withRecord(terminal(), answer).print(terminal(), "  ");
    return judged(conditions, answer);
  }

  private int judged(List<LabFailCondition> conditions, Replay.Answer answer) {
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
