package dev.reprise.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

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

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err())
        .contains("broken.json: ")
        .contains("healthyRetryPolicy.numRetries is 101: must be")
        .contains("healthyRetryPolicy.minDelayTarget is -1: must be");
    assertThat(result.err().lines()).hasSize(1);
  }

  @Test
  void listsThePresets() {
    assertThat(CommandRun.run("presets").out()).contains("notification-email", "7 h 56 min");
    assertThat(MAPPER.readTree(CommandRun.run("presets", "--json").out())).hasSize(6);
  }
}
