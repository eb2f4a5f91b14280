package dev.reprise.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.reprise.policy.document.JsonFault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

class JsonFaultTest {
  private static String fault(String text) {
    return String.valueOf(
        catchThrowableOfType(PolicyException.class, () -> PolicyDocuments.read(text)).getMessage());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"a\": 1 | the text ends before the JSON does",
        "{\"a\": | the text ends before the JSON does",
        "{\"a\": \"b | the text ends before the JSON does",
        "[1, 2 | the text ends before the JSON does",
        "{\"a\": 1}} | the character '}' is unexpected",
        "{\"a\": 1} {} | there is more text after the end",
        "{a: 1} | the character 'a' is unexpected",
        "{\"a\": yes} | 'yes' is no JSON value; a text stands in double quotes",
        "{\"a\": 1, \"a\": 2} | the field \"a\" is given twice",
        "{\"a\": 1,} | the character '}' is unexpected",
        "{\"a\": 01} | Leading zeroes not allowed",
      })
  void whatIsNoJsonIsSaidInWordsOfOurs(String text, String said) {
    assertThat(fault(text))
        .contains(said)
        .containsPattern("line [0-9]+, column [0-9]+: ")
        .doesNotContain("Source", "REDACTED", "Stream", "UNKNOWN", "token", "JSON String");
  }

  @Test
  void whatIsTooDeepOrTooLongIsSaidWithoutTheParsersSettings() {
    assertThat(fault("{\"a\":".repeat(2_000)))
        .contains("objects or arrays lie too deep in each other")
        .doesNotContain("Constraints", "maximum");
    assertThat(fault("{\"a\": " + "1".repeat(2_000) + "}"))
        .contains("a number has too many digits");
    assertThat(fault("{\"a\": 1e99999999999}")).contains("exponent that is too large");
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
        "{\"a\":}",
        "\ufeff1"
      })
  void isToldWithoutTheParsersOwnNames(String json) {
    assertThat(parserFault(json))
        .isNotBlank()
        .doesNotContain("[Source", "Stream", "JsonReadFeature", "Feature", "`", "REDACTED", "0x")
        .doesNotContain("\n");
  }

  private static String parserFault(String json) {
    JsonMapper mapper =
        JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();
    return JsonFault.describe(
        catchThrowableOfType(JacksonException.class, () -> mapper.readTree(json)));
  }
}
