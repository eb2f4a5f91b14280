package dev.reprise.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

class JsonFaultTest {
  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private static String fault(String json) {
    return JsonFault.describe(
        catchThrowableOfType(JacksonException.class, () -> MAPPER.readTree(json)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"a\":1",
        "[1,",
        "[1,2",
        "{\"a\"",
        "\"text",
        "{",
        "{]",
        "[}",
        "{a:1}",
        "{'a':1}",
        "[1,]",
        "{\"a\":1,}",
        "{\"a\":1}}",
        "1 2",
        "tru",
        "nul",
        "NaN",
        "-",
        "01",
        "1.",
        "1e",
        "+1",
        ".5",
        "\"\\x\"",
        "\"\\u12\"",
        "\"a\nb\"",
        "// note",
        "/* note */ 1",
        "{\"a\":1,\"a\":2}",
        "<html>",
        "\u0001",
        "\"\u0001\"",
        "[1 2]",
        "{\"a\" 1}",
        "-Infinity",
        "`",
        "{\"a\":}",
        "\ufeff1"
      })
  void isToldWithoutTheParsersOwnNames(String json) {
    assertThat(fault(json))
        .isNotBlank()
        .doesNotContain("[Source", "Stream", "JsonReadFeature", "Feature", "`", "REDACTED", "0x")
        .doesNotContain("\n");
  }

  @Test
  void nestingAndLengthAreToldAsTheyAre() {
    assertThat(fault("[".repeat(10_000)))
        .isEqualTo("it is nested too deeply, or a number, a name or a text in it is too long");
    assertThat(fault("9".repeat(2_000)))
        .isEqualTo("it is nested too deeply, or a number, a name or a text in it is too long");
  }

  @Test
  void theUsualMistakesHaveTheirOwnWords() {
    assertThat(fault("{\"a\":1")).isEqualTo("it ends before it is complete");
    assertThat(fault("{\"a\":1,\"a\":2}")).isEqualTo("the field \"a\" is there twice");
    assertThat(fault("1 2")).isEqualTo("something follows its end");
  }
}
