package dev.reprise.cli.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cli.CommandRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class PreviewCommandTest {
  private static final JsonMapper MAPPER = new JsonMapper();

  @TempDir private Path folder;

  static List<JsonNode> vectors() {
    // The vectors are the policy module's; one copy is enough.
    Path file = Path.of("../policy/src/test/resources/vectors/staged-schedules.json");
    List<JsonNode> vectors = new ArrayList<>();
    MAPPER.readTree(file.toFile()).forEach(vectors::add);
    assertThat(vectors).hasSizeGreaterThan(10);
    return vectors;
  }

  /** A document may have 100 retries; the preset with more is previewed by name. */
  @ParameterizedTest
  @MethodSource("vectors")
  void printsEveryVectorExactly(JsonNode vector) throws IOException {
    String name = vector.path("name").asString();
    boolean preset = vector.path("retries").asInt() > 100;
    String argument = preset ? "notification-" + name : folder.resolve(name + ".json").toString();
    if (!preset) {
      Files.writeString(
          Path.of(argument),
          MAPPER
              .createObjectNode()
              .set("healthyRetryPolicy", vector.path("healthyRetryPolicy"))
              .toString());
    }

    CommandRun.Result result = CommandRun.run("preview", "--json", argument);

    assertThat(result.exitCode()).isZero();
    assertThat(result.err()).isEmpty();
    JsonNode printed = MAPPER.readTree(result.out());
    assertThat(printed.path("delays")).isEqualTo(vector.path("delays"));
    if (preset) {
      assertThat(printed.path("name").asString()).isEqualTo(argument);
    } else {
      assertThat(printed).isEqualTo(vector);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "preview --json notification-sms",
        "preview notification-sms --json",
        "--json preview notification-sms"
      })
  void jsonMayBeAskedForAnywhere(String commandLine) {
    CommandRun.Result result = CommandRun.run(commandLine.split(" "));

    assertThat(result.exitCode()).isZero();
    assertThat(result.out().lines()).hasSize(1);
    assertThat(MAPPER.readTree(result.out()).path("totalDelayMillis").asLong())
        .isEqualTo(23_656_243);
  }

  @Test
  void showsTableChartAndWarnings() {
    CommandRun.Result result = CommandRun.run("preview", "notification-sms", "--lifetime", "1h");

    assertThat(result.exitCode()).isZero();
    assertThat(result.out())
        .startsWith("notification-sms: 51 attempts, 50 retries within 6 h 34 min 16.243 s\n")
        .containsPattern(" 11 +backoff +3 min 5\\.46 s +4 min 16\\.243 s\n")
        .containsPattern("13-50 +maxDelay +10 min +x 38 +6 h 34 min 16\\.243 s\n")
        .contains("10 min |")
        .contains("! No jitter")
        .contains("attempt 17 of 51 is the last that can start in time");
  }

  @Test
  void theChartFitsTheTerminalAndItsCharacters() {
    String ascii = CommandRun.run("preview", "notification-queue").out();
    String unicode =
        new CommandRun()
            .with("LANG", "de_DE.UTF-8")
            .width(60)
            .execute("preview", "notification-queue")
            .out();

    assertThat(ascii).matches("\\p{ASCII}+").contains("########");
    assertThat(unicode).contains("\u2588\u2588\u2588\u2588").contains("100010 retries in 50 bars");
    assertThat(unicode.lines().filter(line -> line.contains("\u2588")))
        .allMatch(l -> l.length() <= 60);
  }

  @Test
  void showsRangesAndDelaysAfterThrottles() {
    CommandRun.Result result = CommandRun.run("preview", "aws-standard");

    assertThat(result.exitCode()).isZero();
    assertThat(result.out())
        .startsWith("aws-standard: 3 attempts, 2 retries within 75 ms on average, 150 ms at most\n")
        .containsPattern("RETRY +SHORTEST +EXPECTED +LONGEST +TIMES +EXPECTED IN ALL\n")
        .containsPattern(" 2 +1 ns +50 ms +100 ms +75 ms\n")
        .contains("After a throttle:")
        .containsPattern(" 2 +1 ns +1 s +2 s +1.5 s\n")
        .contains("# shortest, : longest")
        .contains("! Hints are clamped");
  }

  @Test
  void retriesWithoutAnEndAreShownUntilTheyAreAllAlike() {
    CommandRun.Result result = CommandRun.run("preview", "azure-iot");

    assertThat(result.out())
        .startsWith("azure-iot: attempts without end\n")
        .containsPattern(" 8 +6\\.45 s +8\\.0375 s +9\\.625 s +")
        .containsPattern(" 9- +10 s +10 s +10 s +for ever\n")
        .contains("! Retries go on for ever")
        .contains("! Jitter is lost from retry 9 on: every delay is exactly 10 s");
    assertThat(result.out()).matches("[\\p{ASCII}]+");
  }

  @Test
  void documentsOfTheGeneralFormatAreReadFromFilesToo() throws IOException {
    Path file = folder.resolve("mine.json");
    Files.writeString(
        file,
        "{\"strategy\": \"standard\", \"maxAttempts\": 3, \"deadline\": \"2s\","
            + " \"backoff\": {\"type\": \"fixed\", \"delay\": \"1500ms\"}}");

    assertThat(CommandRun.run("preview", file.toString()).out())
        .startsWith("mine: 3 attempts, 2 retries within 3 s\n")
        .containsPattern("RETRY +DELAY +TIMES +TOTAL DELAY\n")
        .contains("attempt 2 of 3 is the last that can start in time");
    JsonNode printed = MAPPER.readTree(CommandRun.run("preview", "--json", file.toString()).out());
    assertThat(printed.at("/policy/deadline").asString()).isEqualTo("2s");
    assertThat(printed.at("/delays/0/times").intValue()).isEqualTo(2);
  }

  @Test
  void aTopicStillNeedsANotificationPolicy() {
    CommandRun.Result result = CommandRun.run("topic", "create", "orders", "--policy", "azure-iot");

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.err()).contains("must be one of notification-http");
  }

  @Test
  void noRetriesHaveNoChart() {
    CommandRun.Result result = CommandRun.run("preview", "no-retry");

    assertThat(result.exitCode()).isZero();
    assertThat(result.out())
        .isEqualTo(
            "no-retry: 1 attempt, no retries\n\n  ! No retries: the first failed attempt is the"
                + " last.\n");
  }

  @Test
  void readsTheInput() {
    CommandRun.Result result =
        new CommandRun()
            .input("{\"numRetries\": 2, \"minDelayTarget\": \"250ms\"}")
            .execute("preview", "-");

    assertThat(result.exitCode()).isZero();
    assertThat(result.out()).contains("250 ms").contains("20 s");
  }

  @Test
  void aBrokenPolicyIsToldFieldValueAndRule() throws IOException {
    Path file = folder.resolve("broken.json");
    Files.writeString(
        file, "{\"healthyRetryPolicy\": {\"numRetries\": 101, \"minDelayTarget\": -1}}");

    CommandRun.Result result = CommandRun.run("preview", file.toString());

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.err().lines())
        .hasSize(3)
        .satisfiesExactly(
            line -> assertThat(line).endsWith("broken.json: 2 rules are broken:"),
            line -> assertThat(line).startsWith("  healthyRetryPolicy.numRetries is 101: must be"),
            line ->
                assertThat(line).startsWith("  healthyRetryPolicy.minDelayTarget is -1: must be"));
  }

  @Test
  void whatADocumentOfSnsSaysInVainIsTold() {
    CommandRun.Result result =
        new CommandRun()
            .input("{\"http\": {\"defaultRequestPolicy\": {\"headerContentType\": \"a/b\"}}}")
            .execute("preview", "-");

    assertThat(result.exitCode()).isZero();
    assertThat(result.err())
        .startsWith("reprise: warning: http.defaultRequestPolicy.headerContentType is ignored");
  }

  @Test
  void listsThePresets() {
    assertThat(CommandRun.run("presets").out()).contains("notification-email", "7 h 56 min");
    assertThat(CommandRun.run("presets").out())
        .containsPattern("azure-iot +no end +100 ms +10 s +-\n")
        .containsPattern("notification-http +yes +3 ")
        .containsPattern("reprise-default +2 +under 1 ms +200 ms +up to 300 ms\n");
    JsonNode presets = MAPPER.readTree(CommandRun.run("presets", "--json").out());
    assertThat(presets).hasSize(12);
    assertThat(presets)
        .allMatch(preset -> preset.has("policy") != preset.has("healthyRetryPolicy"));
  }
}
