package dev.reprise.server.openapi;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.server.api.OpenApiTest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The description in OpenAPI 3.0 has the operations of the one in 3.1, and no word that 3.0 lacks.
 */
class OpenApi30Test {
  private final byte[] served = OpenApi.of(OpenApiTest.routes());
  private final JsonNode before = JsonMapper.shared().readTree(served);
  private final JsonNode after = JsonMapper.shared().readTree(OpenApi30.of(served));

  private static JsonNode schema(String schema31) {
    String document = "{\"components\":{\"schemas\":{\"S\":" + schema31 + "}}}";
    return JsonMapper.shared()
        .readTree(OpenApi30.of(document.getBytes(UTF_8)))
        .at("/components/schemas/S");
  }

  private static void assertConverted(String schema31, String schema30) {
    assertThat(schema(schema31)).isEqualTo(JsonMapper.shared().readTree(schema30));
  }

  @Test
  void whatMayBeNullIsNullable() {
    assertConverted(
        "{\"type\": [\"string\", \"null\"], \"enum\": [\"a\", null]}",
        "{\"type\": \"string\", \"enum\": [\"a\", null], \"nullable\": true}");
    assertConverted(
        "{\"anyOf\": [{\"$ref\": \"#/c\"}, {\"type\": \"null\"}], \"description\": \"d\"}",
        "{\"allOf\": [{\"$ref\": \"#/c\"}], \"nullable\": true, \"description\": \"d\"}");
    assertConverted(
        "{\"anyOf\": [{\"type\": \"object\", \"description\": \"inner\"}, {\"type\": \"null\"}],"
            + " \"description\": \"outer\"}",
        "{\"type\": \"object\", \"nullable\": true, \"description\": \"outer\"}");
  }

  @Test
  void wordsOf31BecomeThoseOf30() {
    assertConverted(
        "{\"$ref\": \"#/c\", \"description\": \"d\"}",
        "{\"allOf\": [{\"$ref\": \"#/c\"}], \"description\": \"d\"}");
    assertConverted("{\"const\": true}", "{\"enum\": [true]}");
    assertConverted("{\"examples\": [1, 2]}", "{\"example\": 1}");
    assertConverted("{\"contentEncoding\": \"base64\"}", "{\"format\": \"byte\"}");
    assertConverted("{\"propertyNames\": {\"pattern\": \"a\"}}", "{}");
  }

  @Test
  void propertiesAndValuesWithSuchNamesStay() {
    String schema =
        "{\"properties\": {\"const\": {\"type\": \"string\"}, \"examples\": {\"type\":"
            + " \"string\"}}, \"example\": {\"type\": [\"a\", \"null\"], \"const\": 1}}";
    assertConverted(schema, schema);
  }

  @Test
  void operationsAndSchemasAreThoseOf31() {
    assertThat(after.get("openapi").asString()).isEqualTo("3.0.3");
    assertThat(after.get("paths").propertyNames()).isEqualTo(before.get("paths").propertyNames());
    assertThat(after.at("/components/schemas").propertyNames())
        .isEqualTo(before.at("/components/schemas").propertyNames());
    before
        .at("/components/schemas")
        .forEachEntry(
            (name, schema) ->
                assertThat(after.at("/components/schemas/" + name + "/properties").propertyNames())
                    .as(name)
                    .isEqualTo(schema.path("properties").propertyNames()));
  }

  @Test
  void noWordOf31IsLeft() {
    List<String> left = new ArrayList<>();
    forEachObject(
        "",
        after,
        (path, object) -> {
          boolean named = path.endsWith("/properties");
          for (String word : Set.of("const", "examples", "contentEncoding", "propertyNames")) {
            if (object.has(word) && !named) {
              left.add(path + "/" + word);
            }
          }
          if (object.path("type").isArray() || object.path("type").asString("").equals("null")) {
            left.add(path + "/type");
          }
          if (object.has("$ref") && object.size() > 1) {
            left.add(path + "/$ref");
          }
          if (object.path("nullable").asBoolean(false)
              && object.get("enum") != null
              && object.get("enum").valueStream().noneMatch(JsonNode::isNull)) {
            left.add(path + "/enum without null");
          }
        });
    assertThat(left).isEmpty();
  }

  private static void forEachObject(
      String path, JsonNode node, BiConsumer<String, ObjectNode> visitor) {
    if (node instanceof ObjectNode object && !path.endsWith("/example")) {
      visitor.accept(path, object);
      object.forEachEntry((name, value) -> forEachObject(path + "/" + name, value, visitor));
    } else if (node.isArray()) {
      node.forEach(value -> forEachObject(path + "/-", value, visitor));
    }
  }
}
