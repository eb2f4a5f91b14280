package dev.reprise.server.document;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.policy.document.JsonFault;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

class YamlWriterTest {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private static JsonNode again(JsonNode node) {
    return YamlText.read("written", YamlWriter.write(node)).get(0);
  }

  @Test
  void writesBlocks() {
    JsonNode tree =
        JsonFault.strictMapper()
            .readTree(
                """
                {"topics": {"orders": {"policy": "no-retry", "subscriptions": [
                  {"endpoint": "https://a.example/hook?x=1", "maxInFlight": 7,
                   "filter": {"type": ["a", {"prefix": "b."}], "n": [1, 2.50]},
                   "http": {"token": {"variable": "ORDERS_TOKEN"}, "certificate": "--\\na b\\n--\\n"}},
                  {"endpoint": "+49151123", "suspendWhenGone": true}]},
                  "no": {}, "empty": {"list": [], "null": null}}}
                """);

    assertThat(YamlWriter.write(tree))
        .isEqualTo(
            """
            topics:
              orders:
                policy: no-retry
                subscriptions:
                  - endpoint: https://a.example/hook?x=1
                    maxInFlight: 7
                    filter:
                      type:
                        - a
                        - prefix: b.
                      "n": [1, 2.50]
                    http:
                      token: {variable: ORDERS_TOKEN}
                      certificate: |
                        --
                        a b
                        --
                  - endpoint: "+49151123"
                    suspendWhenGone: true
              "no": {}
              empty:
                list: []
                "null": null
            """);
    assertThat(again(tree)).isEqualTo(tree);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "no",
        "Off",
        "y",
        "1e3",
        "0123",
        "~",
        "null",
        "True",
        "",
        " ",
        "a ",
        "a: b",
        "a #b",
        "- a",
        "12:30:00",
        "2026-01-01",
        "\ud83d\ude00",
        "a\nb",
        "a\n\nb\n",
        "\na",
        "a\n b\n",
        " a\nb",
        "a \nb",
        "a\tb",
        "\r",
        "\u0085",
        "\u2028",
        "\ufeff",
        "\ud800",
        "\u0000",
        "\u200b",
        "=",
        "<<",
        "a:b",
        "http://[::1]:8080/",
        "'",
        "\"",
        "\\",
        "!x",
        "&a",
        "*",
        "%",
        "@a",
        "`",
        "|",
        ">",
        "{a}",
        "[a]",
        "a,b",
        "a:",
        ":a",
        "?",
        "x: ",
        ".inf",
        ".5",
        "---",
        "...",
        "\ue000",
        "0x1F",
        "0o7",
        "1_000",
        "+1",
        "\u007f",
        "NaN",
        "key\u00a0x"
      })
  void textSurvives(String text) {
    ObjectNode tree = JSON.objectNode();
    tree.put("value", text).set(text, JSON.arrayNode().add(text));
    tree.putArray("list").add(text).addObject().put(text, text);

    // Half of a pair cannot be written in UTF-8; JSON has it as the escape that YAML has.
    assertThat(again(tree)).isEqualTo(tree);
    if (!text.equals("\ud800")) {
      Map<String, Object> read =
          new Yaml(new SafeConstructor(new LoaderOptions())).load(YamlWriter.write(tree));
      assertThat(read.get("value")).as("YAML 1.1 reads it as text, too").isEqualTo(text);
    }
  }

  @Property(tries = 300)
  void whateverIsWrittenIsReadBack(@ForAll("trees") JsonNode tree) {
    assertThat(again(tree)).isEqualTo(tree);
  }

  @Provide
  Arbitrary<JsonNode> trees() {
    Arbitrary<String> texts =
        Arbitraries.oneOf(
            Arbitraries.strings().ofMaxLength(8),
            Arbitraries.strings().withChars("a b\n:-#\t'\"{}[]\u00e9 ").ofMaxLength(12),
            Arbitraries.of("no", "true", "12", "1e3", "~", "<<"));
    Arbitrary<JsonNode> values =
        Arbitraries.oneOf(
            texts.map(JSON::stringNode),
            Arbitraries.integers().map(JSON::numberNode),
            Arbitraries.of(true, false).map(JSON::booleanNode),
            Arbitraries.just(JSON.nullNode()));
    Arbitrary<JsonNode> trees = values;
    for (int depth = 0; depth < 3; depth++) {
      trees = Arbitraries.oneOf(values, containers(texts, trees));
    }
    return trees;
  }

  private static Arbitrary<JsonNode> containers(Arbitrary<String> texts, Arbitrary<JsonNode> of) {
    return Arbitraries.oneOf(
        of.list().ofMaxSize(3).map(YamlWriterTest::array),
        Arbitraries.maps(texts, of)
            .ofMaxSize(3)
            .map(
                fields -> {
                  ObjectNode object = JSON.objectNode();
                  fields.forEach(object::set);
                  return object;
                }));
  }

  private static JsonNode array(List<JsonNode> elements) {
    ArrayNode array = JSON.arrayNode();
    elements.forEach(array::add);
    return array;
  }
}
