package dev.reprise.cli.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cli.CommandRun;
import dev.reprise.cli.base.ExitCode;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class SchemaCommandTest {
  @ParameterizedTest
  @ValueSource(strings = {"policy", "topic", "scenario", "report"})
  void aSchemaNeedsNoOtherFile(String kind) {
    CommandRun.Result result = CommandRun.run("schema", kind);

    assertThat(result.exitCode()).isZero();
    JsonNode schema = new JsonMapper().readTree(result.out());
    assertThat(schema.path("$schema").asString()).contains("2020-12");
    assertThat(matches("\"\\$ref\"\\s*:\\s*\"([^#\"]+)", result.out()))
        .isSubsetOf(matches("\"\\$id\"\\s*:\\s*\"[^\"]*/([^\"/]+)", result.out()));
  }

  private static Set<String> matches(String pattern, String text) {
    return Pattern.compile(pattern)
        .matcher(text)
        .results()
        .map(found -> found.group(1))
        .collect(Collectors.toSet());
  }

  @Test
  void aKindThatDoesNotExistIsRefusedWithThoseThatDo() {
    CommandRun.Result result = CommandRun.run("schema", "polcy");

    assertThat(result.exitCode()).isEqualTo(ExitCode.WRONG_USAGE);
    assertThat(result.err()).contains("polcy", "policy", "topic", "scenario", "report");
  }
}
