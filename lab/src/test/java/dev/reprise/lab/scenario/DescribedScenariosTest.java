package dev.reprise.lab.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.policy.document.ObjectType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The page of reference and the published schema say of each described object what its description
 * says. {@code -Dreprise.write=true} writes the page anew.
 */
class DescribedScenariosTest {
  private static final Path SCHEMA =
      Path.of("src/main/resources/dev/reprise/lab/scenario.schema.json");
  private static final Path REFERENCE = Path.of("REFERENCE.md");

  @Test
  void thePageOfReferenceFollowsTheFields() throws IOException {
    List<String> page = new ArrayList<>();
    page.add("# Fields of scenarios");
    page.add("");
    page.add("Each table is made from the description of the fields that the reader uses.");
    described()
        .forEach(
            (title, type) -> {
              page.add("");
              page.add("## " + title);
              if (!type.description().isEmpty()) {
                page.add("");
                page.add(type.description());
              }
              if (!type.rows().isEmpty()) {
                page.add("");
                page.add("| field | value | default | meaning |");
                page.add("|---|---|---|---|");
                page.addAll(type.rows());
              }
            });
    String expected = String.join("\n", page) + "\n";
    if (Boolean.getBoolean("reprise.write")) {
      Files.writeString(REFERENCE, expected);
    }
    assertThat(Files.readString(REFERENCE)).isEqualTo(expected);
  }

  @Test
  void theSchemaKnowsTheFieldsThatAreDescribed() throws IOException {
    JsonNode schema = JsonMapper.builder().build().readTree(Files.readString(SCHEMA));
    JsonNode fleet = schema.at("/$defs/fleet/properties");
    same(fleet.get("costs"), ScenarioTypes.COSTS);
    same(fleet.get("overactive"), ScenarioTypes.OVERACTIVE);
    same(fleet.get("minority"), ScenarioTypes.MINORITY);
    same(schema.at("/$defs/contention"), ScenarioTypes.CONTENTION);
    JsonNode calls = schema.at("/$defs/calls/properties");
    same(calls.at("/layers/items"), ScenarioTypes.LAYER);
    same(calls.at("/service/properties/queue"), ScenarioTypes.QUEUE);
    same(calls.at("/service/properties/time/anyOf/1"), ScenarioTypes.SERVICE_TIME);
  }

  /** Defaults are compared as numbers: 0 in the file is 0.0 in the description. */
  private static void same(JsonNode published, ObjectType<?> type) {
    JsonNode rendered = type.schema();
    assertThat(published.path("properties").propertyNames())
        .containsExactlyElementsOf(type.names());
    assertThat(published.path("description")).isEqualTo(rendered.path("description"));
    assertThat(published.path("required").valueStream().toList())
        .isEqualTo(rendered.path("required").valueStream().toList());
    for (String name : type.names()) {
      JsonNode expected = rendered.at("/properties/" + name);
      JsonNode actual = published.at("/properties/" + name);
      assertThat(actual.propertyNames())
          .as(name)
          .containsExactlyInAnyOrderElementsOf(expected.propertyNames());
      for (String key : expected.propertyNames()) {
        JsonNode value = expected.get(key);
        if (value.isNumber()) {
          assertThat(actual.get(key).decimalValue())
              .as(name + "." + key)
              .isEqualByComparingTo(value.decimalValue());
        } else {
          assertThat(actual.get(key)).as(name + "." + key).isEqualTo(value);
        }
      }
    }
  }

  private static Map<String, ObjectType<?>> described() {
    Map<String, ObjectType<?>> described = new LinkedHashMap<>();
    described.put("`contention`", ScenarioTypes.CONTENTION);
    described.put("`fleet.overactive`", ScenarioTypes.OVERACTIVE);
    described.put("`fleet.minority`", ScenarioTypes.MINORITY);
    described.put("`fleet.costs`", ScenarioTypes.COSTS);
    described.put("An element of `calls.layers`", ScenarioTypes.LAYER);
    described.put("`calls.service.time`", ScenarioTypes.SERVICE_TIME);
    described.put("`calls.service.queue`", ScenarioTypes.QUEUE);
    ScenarioTypes.HINTS.forEach(
        (name, type) -> described.put("`hint` of type `" + name + "`", type));
    ScenarioTypes.FAILURES.forEach(
        (name, type) -> described.put("A failure of type `" + name + "`", type));
    described.put("An interval of a failure of type `trace`", ScenarioTypes.INTERVAL);
    return described;
  }
}
