package dev.reprise.server.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.policy.document.JsonFault;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class YamlTextTest {
  private static final JsonMapper JSON = JsonFault.strictMapper();

  private static JsonNode one(String text) {
    List<JsonNode> documents = YamlText.read("a.yaml", text);
    assertThat(documents).hasSize(1);
    return documents.get(0);
  }

  private static String fault(String text) {
    try {
      YamlText.read("a.yaml", text);
    } catch (InvalidYamlException e) {
      return String.valueOf(e.getMessage());
    }
    throw new AssertionError("is read: " + text.substring(0, Math.min(100, text.length())));
  }

  @Test
  void readsMappingsAndSequences() {
    assertThat(one("topics:\n  orders:\n    - maxInFlight: 3\n      on: [1, two]\n"))
        .isEqualTo(
            JSON.readTree(
                "{\"topics\": {\"orders\": [{\"maxInFlight\": 3, \"on\": [1, \"two\"]}]}}"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "no",
        "on",
        "yes",
        "y",
        "Off",
        "True",
        "NULL",
        "0123",
        "0x1f",
        "0o17",
        "12:30:00",
        "1_000",
        "2026-01-01",
        "2026-01-01T00:00:00Z",
        ".5",
        "5.",
        "+491511234",
        ".inf",
        ".NaN",
        "=",
        "1e",
        "http://localhost:8080/x#y",
        "1.2.3",
        "\u00e9\ud83d\ude00"
      })
  void isTextUnlessJsonHasItOtherwise(String written) {
    assertThat(one("[" + written + " ]")).isEqualTo(JSON.createArrayNode().add(written));
  }

  @ParameterizedTest
  @ValueSource(strings = {"true", "false", "null", "12", "-3", "0", "1.50", "1e3", "-0.5E-2"})
  void isWhatJsonHas(String written) {
    JsonNode read = one("- " + written).get(0);

    assertThat(read.toString()).isEqualTo(JSON.readTree("[" + written + "]").get(0).toString());
    assertThat(read.isString()).isFalse();
  }

  @Test
  void numbersStayExact() {
    assertThat(one("- 0.1000000000000000000001\n- 123456789012345678901234567890").toString())
        .isEqualTo("[0.1000000000000000000001,123456789012345678901234567890]");
  }

  @Test
  void quotesAndTheTagOfTextMakeText() {
    assertThat(
            one(
                "['12', \"true\", !!str 12, !!str null, |\n  a\n  b\n]"
                    .replace(", |\n  a\n  b\n", "")))
        .isEqualTo(JSON.readTree("[\"12\", \"true\", \"12\", \"null\"]"));
    assertThat(one("a: |\n  b\n  c\nd: >-\n  e\n  f\n"))
        .isEqualTo(JSON.readTree("{\"a\": \"b\\nc\\n\", \"d\": \"e f\"}"));
  }

  @Test
  void nothingIsNull() {
    assertThat(one("a:\nb: ~\nc: \"\""))
        .isEqualTo(JSON.readTree("{\"a\":null,\"b\":null,\"c\":\"\"}"));
  }

  @Test
  void keysAreText() {
    assertThat(one("12: a\ntrue: b\n~: c\nno: d"))
        .isEqualTo(JSON.readTree("{\"12\":\"a\",\"true\":\"b\",\"~\":\"c\",\"no\":\"d\"}"));
  }

  @Test
  void aFileMayHaveSeveralDocuments() {
    assertThat(YamlText.read("a.yaml", "---\na: 1\n---\nb: 2\n...\n")).hasSize(2);
    assertThat(YamlText.read("a.yaml", "")).isEmpty();
    assertThat(YamlText.read("a.yaml", "# nothing\n")).isEmpty();
  }

  @Test
  void jsonIsRead() {
    String text =
        "{\n\t\"a\": \"\\ud83d\\ude00 \\/ \\u00e9\\t\",\r\n\t\"b\" : [1, 2.0, true, null],\n\t\""
            + "k".repeat(2_000)
            + "\": {}\n}";

    assertThat(one(text).toString()).isEqualTo(JSON.readTree(text).toString());
    assertThat(one(text.replace('\t', ' ').replace("k".repeat(2_000), "k")).path("b").toString())
        .isEqualTo("[1,2.0,true,null]");
  }

  @Test
  void linesMayEndAsOnWindowsAndFilesBeginWithAMark() {
    assertThat(one("\ufeffa: 1\r\nb:\r\n  - c\r\n"))
        .isEqualTo(JSON.readTree("{\"a\":1,\"b\":[\"c\"]}"));
  }

  @Test
  void aliasesRepeatValues() {
    assertThat(one("a: &a {b: [1]}\nc: *a"))
        .isEqualTo(JSON.readTree("{\"a\":{\"b\":[1]},\"c\":{\"b\":[1]}}"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "a: 1\\nb: 2\\na: 3|line 3, column 1: the key \"a\" is given twice",
        "\"a\": 1\\na: 2|line 2, column 1: the key \"a\" is given twice",
        "a:\\n\\tb: 1|line 2, column 1: a tab stands where YAML takes spaces only",
        "a: !!java.io.File x|line 1, column 4: the tag !!java.io.File is not taken",
        "a: !mine {b: 1}|line 1, column 4: the tag !mine is not taken",
        "a: !!int 12|line 1, column 4: the tag !!int is not taken",
        "a: !!binary aGk=|line 1, column 4: the tag !!binary is not taken",
        "a: &a {b: 1}\\nc:\\n  <<: *a|line 3, column 3: merge keys",
        "? [a]\\n: b|line 1, column 3: a key must be text",
        "a: &a [*a]|line 1, column 4: an alias stands within what it repeats",
        "a: *b|line 1, column 4: found undefined alias b",
        "a: [1, 2|line 1, column 9: expected ',' or ']', but got <stream end>,"
            + " while parsing a flow sequence that begins in line 1",
        "a: b: c|line 1, column 5: mapping values are not allowed here",
        "a: 1\\n  b\u0001c|line 2, column 4: the character U+0001 is not allowed here",
        "a: \"\\q\"|line 1, column 6: found unknown escape character q(113), while scanning a"
            + " double-quoted scalar that begins in line 1",
      })
  void aFaultNamesFileLineAndRule(String written, String fault) {
    assertThat(fault(written.replace("\\n", "\n").replace("\\t", "\t")))
        .startsWith("a.yaml, " + fault);
  }

  @Test
  void aFaultOfJsonIsThatOfJson() {
    assertThat(fault("{\"" + "k".repeat(2_000) + "\": 1,\n\"b\": tru}"))
        .isEqualTo(
            "a.yaml, line 2, column 6: 'tru' is no JSON value; a text stands in double quotes");
    assertThat(fault("{a: 1, b: [}")).startsWith("a.yaml, line 1, column 12: ");
  }

  @Test
  void aBombIsRefused() {
    StringBuilder bomb = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 12; i++) {
      bomb.append("a%s: &a%s [".formatted(i, i)).append("*a%s,".formatted(i - 1).repeat(10));
      bomb.append("]\n");
    }

    assertThat(fault(bomb.toString())).contains("aliases repeat more than 200000 parts");
  }

  @Test
  void aDeepTextIsRefused() {
    assertThat(fault("[".repeat(5_000) + "]".repeat(5_000)))
        .contains("parts lie more than 64 levels deep in each other");
    StringBuilder hidden = new StringBuilder("a0: &a0 [x]\n");
    for (int i = 1; i < 100; i++) {
      hidden.append("a%s: &a%s [*a%s]\n".formatted(i, i, i - 1));
    }
    assertThat(fault(hidden.toString())).contains("more than 64 levels deep");
    assertThatThrownBy(
            () ->
                YamlText.read("a.json", "{\"k\":\t" + "[".repeat(5_000) + "]".repeat(5_000) + "}"))
        .isInstanceOf(InvalidYamlException.class);
  }

  @Test
  void aLongTextIsRefused() {
    // Lines of comments: the parser takes a single value of this length apart for minutes.
    String line = "#" + "x".repeat(1022) + "\n";
    assertThat(fault(line.repeat(17 << 10) + "a: 1\n"))
        .isEqualTo("a.yaml: there are more than 16777216 characters");
  }

  @Test
  void partsHavePlaces() {
    YamlDocument document =
        YamlText.documents("a.yaml", "topics:\n  a/b:\n    - x: 1\n    -  y: 2\n").get(0);

    assertThat(document.place("/topics/a~1b/1/y")).isEqualTo("a.yaml, line 4, column 8");
    assertThat(document.place("/topics/a~1b/1")).isEqualTo("a.yaml, line 4, column 8");
    assertThat(document.place("/else")).isEqualTo("a.yaml");
  }
}
