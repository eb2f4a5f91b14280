package dev.reprise.lab.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tag;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

@Tag("slow")
class ScenarioDocumentsPropertiesTest {
  private static final JsonMapper MAPPER = new JsonMapper();
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private static final List<JsonNode> STRANGE =
      List.of(
          NODES.nullNode(),
          NODES.booleanNode(true),
          NODES.numberNode(-1),
          NODES.numberNode(Long.MAX_VALUE),
          NODES.numberNode(new BigDecimal("1e400000000")),
          NODES.numberNode(1.5),
          NODES.stringNode(""),
          NODES.stringNode("P999999999999D"),
          NODES.stringNode("PT-0.000000001S"),
          NODES.stringNode("999999999h"),
          NODES.stringNode("9999999/9999999"),
          NODES.stringNode("999999999999999E999/s"),
          NODES.stringNode("1/s"),
          NODES.stringNode("fleet.quota[0][1].rate"),
          NODES.stringNode("\u0000\ud800"),
          NODES.arrayNode(),
          NODES.objectNode(),
          NODES.arrayNode().add(NODES.objectNode()));

  @Provide
  Arbitrary<Scenario> scenarios() {
    return Scenarios.any();
  }

  @Property(tries = 100)
  void whatIsWrittenIsReadBackAndFitsTheSchema(@ForAll("scenarios") Scenario scenario) {
    String text = ScenarioDocuments.write(scenario).toString();

    assertThat(ScenarioDocuments.read(text)).isEqualTo(scenario);
    assertThat(ScenarioSchema.accepts(text)).as(text).isTrue();
  }

  @Property(tries = 200)
  void documentsThatAreDamagedAreReadOrRefusedAndNothingElse(@ForAll long seed) {
    Random random = new Random(seed);
    List<String> names = ScenarioLibrary.names();
    JsonNode document =
        MAPPER.readTree(ScenarioLibrary.read(names.get(random.nextInt(names.size()))));
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      damage(document, random);
    }

    readOrRefuse(document.toString());
  }

  @Property(tries = 100)
  void textsThatAreDamagedAreReadOrRefusedAndNothingElse(@ForAll long seed) {
    Random random = new Random(seed);
    List<String> names = ScenarioLibrary.names();
    StringBuilder text =
        new StringBuilder(ScenarioLibrary.read(names.get(random.nextInt(names.size()))));
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      int at = random.nextInt(text.length());
      switch (random.nextInt(3)) {
        case 0 -> text.setLength(at + 1);
        case 1 -> text.deleteCharAt(at).append(' ');
        default -> text.insert(at, "{}[]\",:0\\\u0000".charAt(random.nextInt(10)));
      }
    }

    readOrRefuse(text.toString());
  }

  private static void readOrRefuse(String text) {
    try {
      ScenarioDocuments.variants(text, Traces.NONE);
    } catch (ScenarioException e) {
      assertThat(e.violations()).isNotEmpty();
      assertThat(e.violations()).allSatisfy(violation -> assertThat(violation.rule()).isNotBlank());
    }
  }

  /** Replaces, removes or adds something somewhere. */
  private static void damage(JsonNode root, Random random) {
    List<JsonNode> containers = new ArrayList<>();
    collect(root, containers);
    JsonNode container = containers.get(random.nextInt(containers.size()));
    JsonNode strange = STRANGE.get(random.nextInt(STRANGE.size())).deepCopy();
    if (container instanceof ObjectNode object) {
      List<String> fields = new ArrayList<>(object.propertyNames());
      String field = fields.isEmpty() ? "extra" : fields.get(random.nextInt(fields.size()));
      switch (random.nextInt(3)) {
        case 0 -> object.remove(field);
        case 1 -> object.set(field + "x", strange);
        default -> object.set(field, strange);
      }
    } else if (container instanceof ArrayNode array) {
      array.add(strange);
    }
  }

  private static void collect(JsonNode node, List<JsonNode> containers) {
    if (node.isContainer()) {
      containers.add(node);
      node.forEach(child -> collect(child, containers));
    }
  }
}
