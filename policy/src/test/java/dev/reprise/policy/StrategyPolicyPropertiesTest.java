package dev.reprise.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.policy.preview.SchedulePreview;
import dev.reprise.policy.preview.SchedulePreview.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The properties that hold for every possible policy. */
class StrategyPolicyPropertiesTest {
  private static final JsonMapper JSON = new JsonMapper();

  @Provide
  Arbitrary<StrategyPolicy> policies() {
    return Policies.any();
  }

  @Property(tries = 500)
  void whatIsWrittenIsReadBackEqualAndFitsTheSchema(@ForAll("policies") StrategyPolicy policy) {
    String written = PolicyDocuments.write(policy).toString();

    Policy read = PolicyDocuments.read(written);

    assertThat(read).isEqualTo(policy);
    assertThat(PolicyDocuments.write(read)).hasToString(written);
    assertThat(PolicySchema.accepts(written)).as("schema on %s", written).isTrue();
  }

  @Property(tries = 300)
  void rowsHoldTheRangesOfTheBackoffAndNothingElse(@ForAll("policies") StrategyPolicy policy) {
    SchedulePreview preview = SchedulePreview.of(policy, "any");
    Backoff backoff = policy.backoff();

    int retry = 0;
    Row last = null;
    for (Row row : preview.rows()) {
      assertThat(row.firstRetry()).isEqualTo(retry + 1);
      assertThat(row.delay().lowest()).isBetween(Duration.ZERO, row.delay().expected());
      assertThat(row.delay().highest())
          .isBetween(row.delay().expected(), Duration.ofNanos(backoff.capNanos()));
      for (int each : List.of(row.firstRetry(), middle(row), row.lastRetry())) {
        assertThat(backoff.range(each).lowestNanos()).isEqualTo(row.delay().lowest().toNanos());
        assertThat(backoff.range(each).highestNanos()).isEqualTo(row.delay().highest().toNanos());
      }
      retry = row.lastRetry();
      last = row;
    }

    if (last == null) {
      assertThat(policy.maxRetries()).isZero();
    } else if (preview.rows().size() < SchedulePreview.MAX_ROWS) {
      assertThat(last.lastRetry()).isEqualTo(policy.maxRetries());
    } else {
      assertThat(last.lastRetry()).isLessThanOrEqualTo(policy.maxRetries());
    }
    assertThat(preview.toJson().get("policy")).isEqualTo(PolicyDocuments.write(policy));
  }

  private static int middle(Row row) {
    return row.firstRetry() + (row.lastRetry() - row.firstRetry()) / 2;
  }

  @Property(tries = 1000, edgeCases = EdgeCasesMode.NONE)
  void brokenDocumentsAreRefusedAndNeverFatal(
      @ForAll("policies") StrategyPolicy policy, @ForAll long seed) {
    Random random = new Random(seed);
    ObjectNode document = PolicyDocuments.write(policy);
    int changes = 1 + random.nextInt(3);
    for (int i = 0; i < changes; i++) {
      mutate(document, random);
    }

    try {
      Policy read = PolicyDocuments.read(document);
      // What is still legal is a policy like any other.
      assertThat(PolicyDocuments.read(PolicyDocuments.write(read))).isEqualTo(read);
      SchedulePreview.of(read, "mutated").toJson();
      read.toRetryBuilder().build();
    } catch (PolicyException refused) {
      assertThat(refused.violations()).isNotEmpty();
      assertThat(refused.violations())
          .allSatisfy(violation -> assertThat(violation.path()).isNotBlank());
      assertThat(refused.getMessage()).doesNotContain("\n");
    }
  }

  @Property(tries = 1000, edgeCases = EdgeCasesMode.NONE)
  void brokenTextsAreRefusedAndNeverFatal(
      @ForAll("policies") StrategyPolicy policy, @ForAll long seed) {
    Random random = new Random(seed);
    StringBuilder text = new StringBuilder(PolicyDocuments.write(policy).toString());
    String bits = "{}[]\",:0123456789eE.-+tfn \\\u0000PTms";
    int place = random.nextInt(text.length());
    switch (random.nextInt(3)) {
      case 0 -> text.deleteCharAt(place);
      case 1 -> text.insert(place, bits.charAt(random.nextInt(bits.length())));
      default -> text.setCharAt(place, bits.charAt(random.nextInt(bits.length())));
    }

    try {
      PolicyDocuments.read(text.toString());
    } catch (PolicyException refused) {
      assertThat(refused.violations()).isNotEmpty();
    }
  }

  /** Changes one field somewhere in the document. */
  private static void mutate(ObjectNode document, RandomGenerator random) {
    List<ObjectNode> objects = new ArrayList<>(List.of(document));
    for (int i = 0; i < objects.size(); i++) {
      for (JsonNode child : objects.get(i)) {
        if (child instanceof ObjectNode object) {
          objects.add(object);
        }
      }
    }
    ObjectNode object = objects.get(random.nextInt(objects.size()));
    List<String> names = new ArrayList<>(object.propertyNames());
    if (names.isEmpty()) {
      return;
    }
    String name = names.get(random.nextInt(names.size()));
    switch (random.nextInt(4)) {
      case 0 -> object.remove(name);
      case 1 -> object.set(name, strange(random));
      case 2 -> object.set(name + random.nextInt(10), object.get(name));
      default -> object.set(names.get(random.nextInt(names.size())), object.get(name).deepCopy());
    }
  }

  private static JsonNode strange(RandomGenerator random) {
    List<String> values =
        List.of(
            "null",
            "true",
            "-1",
            "0",
            "1",
            "1.5",
            "1e300",
            "1e-300",
            "-0.0",
            "2147483647",
            "9223372036854775808",
            "\"\"",
            "\"unlimited\"",
            "\"none\"",
            "\"PT-1S\"",
            "\"PT2562047H47M16.854775807S\"",
            "\"P999999999D\"",
            "\"0s\"",
            "\"1h\"",
            "\"reprise-default\"",
            "\"" + "x".repeat(500) + "\"",
            "[]",
            "{}",
            "{\"type\":\"none\"}",
            "{\"type\":\"exponential\",\"base\":\"1s\",\"factor\":1.0000001,\"cap\":\"1h\"}",
            "{\"type\":\"linear\",\"base\":\"1ms\",\"step\":\"1ms\",\"cap\":\"1h\"}",
            "{\"type\":\"token-bucket\",\"errorTokens\":0.0005}");
    JsonNode value = JSON.readTree(values.get(random.nextInt(values.size())));
    if (value instanceof ArrayNode array) {
      array.add(JsonNodeFactory.instance.nullNode());
    }
    return value;
  }
}
