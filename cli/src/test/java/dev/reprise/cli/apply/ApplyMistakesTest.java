package dev.reprise.cli.apply;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cli.CommandRun;
import dev.reprise.cli.DevService;
import dev.reprise.server.serve.Service;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files that are wrong change nothing, and the error says where and why. */
class ApplyMistakesTest {
  @TempDir private static Path folder;

  private static Service service;

  @BeforeAll
  static void start() {
    service = DevService.start(folder.resolve("data"));
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  private static CommandRun.Result run(String... args) {
    return new CommandRun().with("REPRISE_URL", service.baseUrl()).execute(args);
  }

  private static String file(String name, String text) throws IOException {
    Path file = folder.resolve(name);
    Files.writeString(file, text);
    return file.toString();
  }

  private static String refused(String text) throws IOException {
    CommandRun.Result result = run("apply", file("wrong.yaml", text));
    assertThat(result.exitCode()).as(result.out()).isEqualTo(2);
    assertThat(result.out()).isEmpty();
    return result.err();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "topcis: {}|line 1, column 1: topcis is no field here; did you mean topics?",
        "topics: {a: {polcy: x}}|column 14: topics.a.polcy is no field here; did you mean policy?",
        "topics: [a]|topics must be an object",
        "topics: {a: {policy: none}}|topics.a.policy is none: must be a policy, or the name of",
        "topics: {'a b': {}}|topics.a b is no topic: topic is a b: must be 1 to 256 letters",
        "topics: {a: {subscriptions: {}}}|topics.a.subscriptions must be a list of subscriptions",
        "topics: {a: {subscriptions: [x]}}|topics.a.subscriptions[0] must be an object",
        "topics: {a: {subscriptions: [{}]}}|topics.a.subscriptions[0] (endpoint) is absent: must"
            + " be",
        "topics: {a: {subscriptions: [{endpoint: 'http://x', maxInFligt: 3}]}}"
            + "|topics.a.subscriptions[0].maxInFligt is no field here; did you mean maxInFlight?",
        "topics: {a: {subscriptions: [{endpoint: 'http://x', maxInFlight: 0}]}}"
            + "|line 1, column 53: topics.a.subscriptions[0].maxInFlight is 0: must be an integer",
        "topics: {a: {subscriptions: [{endpoint: 'http://x', http: {tokn: 3}}]}}"
            + "|topics.a.subscriptions[0].http.tokn is no field here; did you mean token?",
        "topics: {a: {subscriptions: [{endpoint: 'http://x', http: {token: {fil: 3}}}]}}"
            + "|topics.a.subscriptions[0].http.token must be {file: PATH} or {variable: NAME}",
        "topics: {a: {subscriptions: [{endpoint: 'http://x', http: {token: {file: no.txt}}}]}}"
            + "|topics.a.subscriptions[0].http.token cannot be read: there is no file",
        "topics: {a: {subscriptions: [{endpoint: 'http://x', deadLetterTarget: b-7}]}}"
            + "|topics.a.subscriptions[0].deadLetterTarget is b-7: there is no such subscription",
        "topics: {a: {subscriptions: [{endpoint: 'http://x', deadLetterTarget: {topic: a,"
            + " endpoint: 'http://x'}}]}}|deadLetterTarget must not lead back to itself",
        "topics: {a: {subscriptions: [{endpoint: 'http://x'}, {endpoint: 'http://x'}]}}"
            + "|topics.a.subscriptions[1] is the same subscription as topics.a.subscriptions[0]",
        "policies: {no-retry: {}}|policies.no-retry has the name of a preset: choose another",
        "policies: {a: {healthyRetryPolicy: {numRetries: -1}}}"
            + "|policies.a.healthyRetryPolicy.numRetries is -1: must be",
        "carriers: {a: {}}|carriers.a.type is absent: must be one of",
        "carriers: {a: {type: smtpx}}|did you mean smtp?",
        "carriers: {a: {type: smtp, settings: {adresses: [x]}}}|did you mean addresses?",
        "projects: {a: {quotas: {topic: 3}}}|projects.a",
        "project: shop|nothing",
        "topics: {a: &x {policy: *x}}|an alias stands within what it repeats",
        "topics:\\n\\ta: {}|line 2, column 1: a tab stands where YAML takes spaces only",
        "a|must be an object",
        "project: shop\\ntopics: {a: }|project shop: there is none, and the files do not make it",
      })
  void aMistakeHasAPlace(String text, String error) throws IOException {
    if (error.equals("nothing")) {
      assertThat(run("apply", file("wrong.yaml", text)).out())
          .isEqualTo("0 changes, 0 unchanged\n");
      return;
    }
    assertThat(refused(text.replace("\\n", "\n").replace("\\t", "\t")))
        .contains("wrong.yaml")
        .contains(error);
    assertThat(run("topic", "list", "--json").out()).doesNotContain("\"a\"");
  }

  @Test
  void allMistakesAreToldAtOnce() throws IOException {
    assertThat(refused("topics: {b: {policy: none, x: 1}}\n---\nfoo: 1\n"))
        .startsWith("reprise: nothing was changed: there are 3 mistakes:\n");
  }

  @Test
  void anEmptyFileSaysNothing() throws IOException {
    assertThat(refused("# nothing\n")).contains("the files say nothing: sections are project,");
    assertThat(refused("---\n---\n")).contains("the files say nothing");
    assertThat(run("apply").exitCode()).isEqualTo(2);
    assertThat(run("apply", folder.toString()).err()).contains("is a folder: a file is needed");
  }

  @Test
  void aTopicStandsInOneFileOnly() throws IOException {
    String one = file("one.yaml", "topics:\n  twice: {}\n");
    String two = file("two.yaml", "topics:\n  # again\n  twice: {}\n");

    CommandRun.Result result = run("apply", one, two);

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.err())
        .contains("two.yaml, line 3, column 3: topics.twice is the same topic as in ")
        .contains("one.yaml, line 2, column 3: topics.twice: name it once");
    assertThat(run("apply", one, one).err()).contains("is named twice");
  }

  @Test
  void filesOfWindowsAndTheInputAreRead() {
    CommandRun.Result result =
        new CommandRun()
            .with("REPRISE_URL", service.baseUrl())
            .input("\ufefftopics:\r\n  windows:\r\n    policy: no-retry\r\n")
            .execute("apply", "-");

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.out()).isEqualTo("+ topic windows\n1 change, 0 unchanged\n");
  }

  @Test
  void severalWithOneEndpointNeedIds() throws IOException {
    run("topic", "create", "many");
    for (String filter : new String[] {"{\"a\": [1]}", "{\"a\": [2]}"}) {
      run("subscribe", "many", "http://127.0.0.1:9/x", "--filter", filter);
    }
    String told =
        "topics: {many: {subscriptions: [{endpoint: 'http://127.0.0.1:9/x', filter: {a: [3]}},"
            + " {endpoint: 'http://127.0.0.1:9/x', filter: {a: [%s]}}]}}";

    assertThat(refused(told.formatted("4"))).contains("could be any of many-").contains("its id");
    assertThat(run("apply", file("one.yaml", told.formatted("2"))).out())
        .contains("filter.a [1] -> [3]\n")
        .endsWith("1 change, 2 unchanged\n");
  }

  @Test
  void anIdMovesASubscriptionToAnotherEndpoint() throws IOException {
    run("topic", "create", "moving");
    String id =
        run("subscribe", "moving", "http://127.0.0.1:9/old", "--json")
            .out()
            .replaceAll("(?s).*?\"id\":\"([^\"]+)\".*", "$1");

    String moved =
        file(
            "moved.yaml",
            "topics: {moving: {subscriptions: [{id: "
                + id
                + ", endpoint: 'http://127.0.0.1:9/new'}]}}");
    assertThat(run("apply", moved).out())
        .contains("endpoint http://127.0.0.1:9/old -> http://127.0.0.1:9/new");
    assertThat(run("apply", moved).out()).isEqualTo("0 changes, 2 unchanged\n");
  }

  @Test
  void aRefusalInTheMiddleSaysWhatIsLeft() throws IOException {
    String given =
        file(
            "middle.yaml",
            "topics: {m1: , m2: {subscriptions: [{endpoint: 'ftp://x'}, {endpoint:"
                + " 'http://127.0.0.1:9/y'}]}}");

    CommandRun.Result result = run("apply", given);

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.out()).isEqualTo("+ topic m1\n+ topic m2\n");
    assertThat(result.err())
        .contains("\"+ subscription of m2 (ftp://x)\" failed: endpoint is ftp://x")
        .contains("2 changes made, 2 not; once this is mended, the same command goes on with:")
        .contains("  + subscription of m2 (http://127.0.0.1:9/y)\n");
    assertThat(
            run(
                    "apply",
                    file(
                        "middle.yaml",
                        Files.readString(Path.of(given)).replace("ftp", "http://127.0.0.1/")))
                .out())
        .endsWith("2 changes, 2 unchanged\n");
  }

  @Test
  void noServiceNoChange() throws IOException {
    String given = file("given.yaml", "topics: {x: }");

    assertThat(CommandRun.run("apply", given).exitCode()).isEqualTo(3);
    assertThat(CommandRun.run("export").exitCode()).isEqualTo(3);
  }

  @Test
  void thousandsOfSubscriptionsAreApplied() throws IOException {
    // A project of its own, so that no topic of another test is deleted.
    StringBuilder text = new StringBuilder("projects: {big: }\n---\nproject: big\n");
    text.append("topics:\n  big:\n    subscriptions:\n");
    for (int i = 0; i < 2_000; i++) {
      text.append("      - {endpoint: 'http://127.0.0.1:9/" + i + "', startSuspended: true}\n");
    }
    String given = file("big.yaml", text.toString());

    assertThat(run("apply", given).out()).endsWith("2,002 changes, 0 unchanged\n");
    assertThat(run("apply", given).out()).isEqualTo("0 changes, 2002 unchanged\n");
    assertThat(
            run(
                    "apply",
                    "--dry-run",
                    "--prune",
                    file("none.yaml", "project: big\ntopics: {big: {subscriptions: []}}"))
                .out())
        .contains("2,000 changes would be made, 1 unchanged");
  }
}
