package dev.reprise.cli.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cli.CommandRun;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.lab.report.Report;
import dev.reprise.lab.scenario.ScenarioDocuments;
import dev.reprise.policy.PolicyDocuments;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class LabCommandTest {
  private static final String SMALL =
      """
      {"name": "small-herd", "runs": 2,
       "policies": {"azure": "azure-iot",
                    "mine": {"strategy": "standard", "maxAttempts": "unlimited", "budget": "unlimited",
                             "backoff": {"type": "exponential", "base": "1s", "cap": "16s", "jitter": "full"}}},
       "fleet": {"devices": 2000, "quota": {"rate": "100/s"},
                 "failures": [{"type": "outage", "to": "10s"}]}}
      """;

  @TempDir private Path folder;

  private String small() throws IOException {
    return Files.writeString(folder.resolve("small.json"), SMALL).toString();
  }

  private static JsonNode json(CommandRun.Result result) {
    assertThat(result.err()).isEmpty();
    return new JsonMapper().readTree(result.out());
  }

  @Test
  void aScenarioIsRunAndToldInFiguresAndSentences() throws Exception {
    CommandRun.Result run = CommandRun.run("lab", "run", small());

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out())
        .startsWith("small-herd: 2 policies, 2 runs each from seed 1\n")
        .containsPattern("POLICY +.*drainLast +drainRatio")
        .containsPattern("\n  azure +[0-9]")
        .containsPattern("\n  mine +[0-9]")
        .contains("No policy can have 2,000 devices back sooner than 20 s after recovery");
    assertThat(run.out().lines()).allMatch(line -> line.length() <= 100);
  }

  @Test
  void theSameSeedGivesTheSameWhateverTheThreads() throws Exception {
    String alone =
        CommandRun.run("lab", "run", small(), "--seed", "7", "--threads", "1", "--json").out();

    assertThat(
            CommandRun.run("lab", "run", small(), "--seed", "7", "--threads", "3", "--json").out())
        .isEqualTo(alone);
    assertThat(CommandRun.run("lab", "run", small(), "--seed", "8", "--json").out())
        .isNotEqualTo(alone);
  }

  @Test
  void theNumbersOfAFleetCanBeReplaced() throws Exception {
    CommandRun.Result run =
        CommandRun.run("lab", "run", small(), "--devices", "1k", "--capacity", "3000/min");

    assertThat(run.out()).contains("1,000 devices back sooner than 20 s");
  }

  @Test
  void aReportIsWrittenIntoAFolderThatNeedNotExist() throws Exception {
    Path out = folder.resolve("a/b");

    CommandRun.Result run =
        CommandRun.run("lab", "run", small(), "--runs", "1", "--report", out.toString());

    assertThat(run.exitCode()).isZero();
    assertThat(run.err()).contains("report.html");
    for (String file : Report.FILES) {
      assertThat(out.resolve(file)).isNotEmptyFile();
    }
  }

  @Test
  void policiesAreComparedInAReadySituation() {
    CommandRun.Result run =
        CommandRun.run(
            "lab",
            "compare",
            "azure-iot",
            "iot-core-32s",
            "iot-core-32s",
            "--devices",
            "2000",
            "--capacity",
            "100/s",
            "--outage",
            "10s",
            "--runs",
            "1");

    assertThat(run.out())
        .startsWith("herd-after-outage: 3 policies, 1 run each")
        .containsPattern("\n  iot-core-32s-2 ");
  }

  @Test
  void aSweepHasALineForEachValueAndPolicy() throws Exception {
    CommandRun.Result run =
        CommandRun.run(
            "lab",
            "sweep",
            small(),
            "--runs",
            "1",
            "--field",
            "policies.mine.backoff.cap",
            "--values",
            "16s,4s,64s");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out().lines().filter(line -> line.matches(" +[0-9]+ s +mine .*")))
        .extracting(line -> line.strip().replaceAll(" .*", ""))
        .containsExactly("4", "16", "64");
  }

  @Test
  void spansOfASweepMayHaveFractionsAsInScenarios() {
    CommandRun.Result run =
        CommandRun.run(
            "lab",
            "sweep",
            "contention",
            "--runs",
            "1",
            "--field",
            "contention.hopMean",
            "--values",
            "0.5ms,2ms");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).containsPattern("\n +0\\.5 ms +none ");
  }

  @Test
  void readyScenariosArePrintedToBeginWith() {
    JsonNode list = json(CommandRun.run("lab", "scenarios", "--json"));

    assertThat(list.size()).isGreaterThan(15);
    for (JsonNode each : list) {
      String text = CommandRun.run("lab", "scenarios", each.path("name").asString()).out();
      assertThat(ScenarioDocuments.read(text).name()).isNotEmpty();
    }
  }

  @Test
  void lintProvesWhatItFinds() {
    CommandRun.Result lint = CommandRun.run("lab", "lint", "iot-core-64s", "--callers");

    assertThat(lint.exitCode()).isZero();
    assertThat(lint.out()).contains("jitter-lost-at-cap").contains("proof: ").contains("change: ");
  }

  @Test
  void lintFailsWhereThePolicyWould() {
    CommandRun.Result lint =
        CommandRun.run(
            "lab",
            "lint",
            "iot-core-32s",
            "--devices",
            "1M",
            "--capacity",
            "5000/s",
            "--rejection-cost",
            "0.5",
            "--json");

    assertThat(lint.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(json(lint))
        .anySatisfy(f -> assertThat(f.path("severity").asString()).isEqualTo("error"));
  }

  @Test
  void lintFailsWhereCompareSaysNever() {
    String[] fleet = {"--devices", "5000", "--capacity", "25/s", "--rejection-cost", "0.1"};
    CommandRun.Result lint = CommandRun.run(words("lint", "iot-core-64s", fleet));
    CommandRun.Result compare = CommandRun.run(words("compare", "iot-core-64s", fleet));

    assertThat(compare.out()).contains("never has all devices back");
    assertThat(lint.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(lint.out()).contains("simulated-never-back").contains("of 5,000 devices are not");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | --devices 1000000 --capacity 5000/s --rejection-cost 0 --outage 1m",
        "--devices 5000 | --capacity 5000/s --rejection-cost 0 --outage 1m",
        "--capacity 9000/s --outage 2m | --devices 1000000 --rejection-cost 0",
      })
  void lintAssumesTheFleetOfCompareAndAgrees(String given, String assumed) {
    String[] fleet = given.isEmpty() ? new String[0] : given.split(" ", -1);
    CommandRun.Result lint = CommandRun.run(words("lint", "no-retry", fleet));
    CommandRun.Result compare = CommandRun.run(words("compare", "no-retry", fleet));

    assertThat(compare.out()).contains("never has all devices back");
    assertThat(lint.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(lint.out().replaceAll("\\s+", " "))
        .contains("assumed, as `lab compare` does: " + assumed)
        .contains("simulated-never-back");
  }

  @Test
  void aPolicyOfCallersIsNotSimulatedAndThatIsSaid() {
    CommandRun.Result lint = CommandRun.run("lab", "lint", "reprise-default", "--callers");

    assertThat(lint.exitCode()).isZero();
    assertThat(lint.err()).contains("not simulated: --callers");
    assertThat(lint.out()).doesNotContain("assumed").doesNotContain("simulated");
    assertThat(
            json(CommandRun.run("lab", "lint", "reprise-default", "--callers", "--json"))
                .findValuesAsString("rule"))
        .endsWith("not-simulated");
  }

  @Test
  void anOutageMayBeLongerThanTheRunOfTheScenario() throws IOException {
    Path policy = folder.resolve("patient.json");
    Files.writeString(
        policy,
        """
        {"strategy": "standard", "maxAttempts": "unlimited", "budget": "unlimited", "hintCeiling": "4h",
         "backoff": {"type": "exponential", "base": "1s", "cap": "4m", "jitter": "full"}}
        """);
    String[] fleet = {"--devices", "500", "--capacity", "5/s", "--outage", "5h"};
    CommandRun.Result lint = CommandRun.run(words("lint", policy.toString(), fleet));
    CommandRun.Result compare = CommandRun.run(words("compare", policy.toString(), fleet));

    assertThat(compare.out()).doesNotContain("never");
    assertThat(lint.exitCode()).isZero();
    assertThat(lint.out()).contains("nothing found; simulated, all devices are back");
  }

  @Test
  void aSystemOfTwoStatesHasAChanceOfCollapse() throws Exception {
    CommandRun.Result run =
        CommandRun.run("lab", "run", "ramp-with-hysteresis", "--runs", "2", "--report", out());

    assertThat(run.out())
        .contains("collapsed")
        .contains("1 (0.342 to 1)")
        .contains("collapses in 2 of 2 runs: its chance is 0.342 to 1.")
        .doesNotContainPattern("0\\.2[0-9]* \u00b1 0\\.2");
    assertThat(Files.readString(Path.of(out(), "figures.csv")))
        .containsPattern("three attempts,collapsed,,1,0\\.3423[0-9]*,1,2,");
    assertThat(Files.readString(Path.of(out(), "report.json")))
        .containsPattern("\"collapsed\" : \\{\\s*\"mean\" : 1,\\s*\"lowest\" : 0\\.3423");
    assertThat(Files.readString(Path.of(out(), "report.html")))
        .contains("<small>0.342 to 1</small>");
  }

  private String out() {
    return folder.resolve("out").toString();
  }

  private static String[] words(String command, String policy, String... fleet) {
    return Stream.concat(Stream.of("lab", command, policy), Stream.of(fleet))
        .toArray(String[]::new);
  }

  @Test
  void aPolicyIsChosenExplainedAndWritten() throws Exception {
    Path out = folder.resolve("policy.json");

    CommandRun.Result chosen =
        CommandRun.run(
            "lab",
            "choose",
            "--devices",
            "5000",
            "--capacity",
            "100/s",
            "--outage",
            "1m",
            "--rejection-cost",
            "0.1",
            "--out",
            out.toString());

    assertThat(chosen.exitCode()).as(chosen.err()).isZero();
    assertThat(chosen.out())
        .contains("The trade-off: of 1,")
        .contains("Recommended: ")
        .contains("of the floor N/C")
        .contains("Never recovers if");
    assertThat(PolicyDocuments.read(Files.readString(out)).maxRetries()).isPositive();
    assertThat(CommandRun.run("lab", "lint", out.toString(), "--devices", "5000").out())
        .contains("nothing found");
  }

  @Test
  void whatNobodyCanKeepIsSaid() {
    CommandRun.Result chosen =
        CommandRun.run(
            "lab",
            "choose",
            "--devices",
            "5000",
            "--capacity",
            "100/s",
            "--outage",
            "1m",
            "--p99",
            "10s");

    assertThat(chosen.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(chosen.out()).contains("No policy keeps the limits.");
  }

  @Test
  void recordedFailuresAreReplayed() throws Exception {
    Path failures = Files.writeString(folder.resolve("failures.csv"), "14:02,14:03\n");

    CommandRun.Result replay =
        CommandRun.run(
            "lab", "replay", failures.toString(), "notification-http", "no-retry", "--rate", "5/s");

    assertThat(replay.exitCode()).as(replay.err()).isZero();
    assertThat(replay.out())
        .containsPattern("notification-http +1 ")
        .containsPattern("no-retry +0\\.[5-8]");
  }

  @Test
  void recordedAttemptsAreReplayedBesideWhatTheyWere() throws Exception {
    Path attempts =
        Files.writeString(
            folder.resolve("attempts.csv"),
            """
            delivery,attempt,startedAt,endedAt,outcome,status
            a@x,1,2026-11-21T14:00:00Z,2026-11-21T14:00:00.010Z,failed,503
            a@x,2,2026-11-21T14:00:20Z,2026-11-21T14:00:20.010Z,succeeded,204
            """);

    CommandRun.Result replay =
        CommandRun.run("lab", "replay", attempts.toString(), "no-retry", "azure-iot");

    assertThat(replay.exitCode()).as(replay.err()).isZero();
    assertThat(replay.out())
        .startsWith("attempts: 1 delivery to 1 endpoint\n")
        .containsPattern("\\(as it was\\) +1 ")
        .containsPattern("no-retry +0 ");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "lab run nosuch | nosuch is neither a file nor a ready scenario",
        "lab run herd-after-outage --runs 0 | --runs is 0: must be between 1 and 10000",
        "lab run herd-after-outage --threads 0 | --threads is 0: must be between 1 and 1024",
        "lab run herd-after-outage --devices many | --devices is many: must be a count",
        "lab run herd-after-outage --capacity 0/s | --capacity is 0/s: must be",
        "lab run herd-after-outage --outage long | --outage is long: must be a span",
        "lab run contention --devices 5 | are for fleets",
        "lab compare nopreset | neither a file nor a preset",
        "lab sweep retry-storm | has no sweep: give --field and --values",
        "lab sweep retry-storm --field x | --field and --values belong together",
        "lab choose --devices 1M | --devices, --capacity and --outage are needed",
        "lab choose --devices 5 --capacity 1/s --outage 1m | --devices is 5: must be",
        "lab run herd-after-outage --rejection-cost 2 | --rejection-cost is 2.0: must be between",
        "lab choose --devices 1M --capacity 1/s --outage 0s | --outage is 0s: must be more than 0",
        "lab sweep contention --field contention.clients --values 5,5 | --values has 5 twice",
        "lab choose --devices 1M --capacity 1/s --outage 1m --peak 0 | --peak is 0.0: must be more",
        "lab lint no-retry --callers --devices 5 | --callers is for a policy that no fleet keeps",
        "lab scenarios nosuch | nosuch is no ready scenario",
        "lab replay nofile no-retry | there is no file nofile",
      })
  void wrongUsageIsNamed(String command, String message) {
    CommandRun.Result run = CommandRun.run(command.split(" ", -1));

    assertThat(run.exitCode()).isEqualTo(ExitCode.WRONG_USAGE);
    assertThat(run.err()).contains(message);
    assertThat(run.out()).isEmpty();
  }

  @Test
  void aSweepOfAFieldThatIsNotThereSaysWhatThereIs() {
    assertThat(
            CommandRun.run(
                    "lab",
                    "sweep",
                    "herd-after-outage",
                    "--field",
                    "policies.full.backoff.cap",
                    "--values",
                    "1s,2s")
                .err())
        .contains("policies has no full, but azure-iot, iot-core-64s, full jitter 64s");
    assertThat(
            CommandRun.run(
                    "lab",
                    "sweep",
                    "herd-after-outage",
                    "--field",
                    "fleet.quota.rate",
                    "--values",
                    "1/s,2/s")
                .err())
        .contains("quota is written as one value");
  }

  @Test
  void whatIsNoScenarioOrNoFailureIsSaid() throws Exception {
    Path yaml = Files.writeString(folder.resolve("herd.yaml"), "name: herd\n");
    Path empty = Files.writeString(folder.resolve("empty.csv"), "from,to\n");

    assertThat(CommandRun.run("lab", "run", yaml.toString()).err())
        .contains("herd.yaml is no scenario: must be a JSON object");
    assertThat(CommandRun.run("lab", "replay", empty.toString(), "no-retry").err())
        .contains("empty.csv has no failure");
  }

  @Test
  void aMarkAtTheBeginningOfAFileMeansNothing() throws Exception {
    Path marked = Files.writeString(folder.resolve("marked.json"), "\ufeff" + SMALL);

    assertThat(CommandRun.run("lab", "run", marked.toString(), "--runs", "1").exitCode()).isZero();
  }

  @Test
  void aPolicyThatIsNotIdempotentIsPointedAt() {
    CommandRun.Result run =
        CommandRun.run(
            "lab",
            "compare",
            "reprise-default",
            "--scenario",
            "single-server-queue",
            "--runs",
            "1");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains("! reprise-default: is not declared idempotent");
  }

  @Test
  void figuresAreExplained() {
    assertThat(CommandRun.run("lab", "figures").out())
        .containsPattern("drainRatio +low +drainLast by the floor N/C");
  }

  @Test
  void aBrokenScenarioIsNamedWithEveryRule() throws Exception {
    Path broken =
        Files.writeString(
            folder.resolve("broken.json"),
            SMALL.replace("\"runs\": 2", "\"runs\": 0, \"rums\": 1"));

    CommandRun.Result run = CommandRun.run("lab", "run", broken.toString());

    assertThat(run.exitCode()).isEqualTo(ExitCode.WRONG_USAGE);
    assertThat(run.err()).contains("broken.json: ").contains("runs is 0").contains("rums");
  }

  @ParameterizedTest
  @ValueSource(strings = {"--report rep", "--rate 5/s", "--endpoint orders", "--threads 2"})
  void optionsThatDoNothingForAttemptsAreRefused(String option) throws Exception {
    Path attempts =
        Files.writeString(
            folder.resolve("attempts.csv"),
            "delivery,endpoint,attempt,at,status\n1,orders,1,2026-11-21T14:00:00Z,204\n");
    List<String> command =
        new ArrayList<>(List.of("lab", "replay", attempts.toString(), "reprise-default"));
    command.addAll(List.of(option.split(" ", -1)));

    CommandRun.Result run = CommandRun.run(command.toArray(String[]::new));

    assertThat(run.exitCode()).isEqualTo(ExitCode.WRONG_USAGE);
    assertThat(run.err()).contains(option.split(" ", -1)[0] + " is for a CSV of failures");
  }
}
