package dev.reprise.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.policy.backoff.BackoffType;
import dev.reprise.policy.document.Field;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.core.util.DefaultIndenter;
import tools.jackson.core.util.DefaultPrettyPrinter;
import tools.jackson.core.util.Separators;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The published schemas and the page of reference say of each field what its description says.
 * After a change of a description, {@code mvn -pl policy test -Dtest=DescribedDocumentsTest
 * -Dreprise.write=true} writes them anew.
 */
class DescribedDocumentsTest {
  private static final Path SCHEMAS = Path.of("src/main/resources/dev/reprise/policy");
  private static final Path REFERENCE = Path.of("REFERENCE.md");
  private static final JsonMapper JSON = JsonMapper.builder().build();

  @Test
  void theSchemaOfPoliciesFollowsTheFields() throws IOException {
    Path file = SCHEMAS.resolve("policy.schema.json");
    ObjectNode schema = (ObjectNode) JSON.readTree(Files.readString(file));
    ObjectNode defs = (ObjectNode) schema.get("$defs");

    ObjectNode strategy = (ObjectNode) defs.get("strategyPolicy");
    ObjectNode properties = JSON.createObjectNode();
    properties.set("preset", strategy.path("properties").get("preset"));
    StrategyFields.all().forEach(field -> properties.set(field.name(), field.schema()));
    strategy.set("properties", properties);
    ObjectNode meaningless = JSON.createObjectNode();
    StrategyFields.NAMES_OF_RETRIES.forEach(name -> meaningless.put(name, false));
    ((ObjectNode) strategy.get("then")).set("properties", meaningless);

    ArrayNode backoffs = JSON.createArrayNode();
    for (BackoffType type : BackoffType.values()) {
      backoffs.add(backoff(type));
    }
    ((ObjectNode) defs.get("backoff")).set("oneOf", backoffs);

    ArrayNode budgets = JSON.createArrayNode();
    budgets.addObject().put("const", BudgetType.UNLIMITED);
    for (BudgetType type : BudgetType.values()) {
      budgets.add(typed(BudgetType.TYPE, type.wireName(), type.fields().schema()));
    }
    ((ObjectNode) defs.get("budget")).set("oneOf", budgets);

    requireSame(file, pretty(schema));
  }

  @Test
  void theSchemaOfNotificationPoliciesFollowsTheFields() throws IOException {
    Path file = SCHEMAS.resolve("notification-policy.schema.json");
    ObjectNode schema = (ObjectNode) JSON.readTree(Files.readString(file));
    ObjectNode retry = (ObjectNode) schema.path("$defs").get("healthyRetryPolicyFields");
    ObjectNode properties = JSON.createObjectNode();
    HealthyRetryFields.OF_DOCUMENTS
        .all()
        .forEach(field -> properties.set(field.name(), field.schema()));
    properties.set("maxReceivesPerSecond", retry.path("properties").get("maxReceivesPerSecond"));
    retry.set("properties", properties);

    requireSame(file, pretty(schema));
  }

  @Test
  void thePageOfReferenceFollowsTheFields() throws IOException {
    List<String> page = new ArrayList<>();
    page.add("# Fields of policy documents");
    page.add("");
    page.add("Each table is made from the description of the fields that the reader uses.");
    section(page, "## A policy of the general format", "", StrategyFields.all().map(Field::row));
    section(page, "### `hedging`", "", StrategyFields.HEDGES.rows().stream());
    for (BackoffType type : BackoffType.values()) {
      section(
          page,
          "### `backoff` of type `" + type.wireName() + "`",
          type.formula().description(),
          type.formula().rows().stream());
    }
    page.add("");
    page.add(
        "Every backoff takes `retries` and `then`: how many retries it holds for, and the backoff"
            + " of all later ones. `jitter` (`none`, `full`, `equal` or a share from 0 to 1) is a"
            + " field of "
            + names(BackoffType::takesJitter)
            + ", `cap` an optional one of "
            + names(BackoffType::takesCap)
            + ".");
    for (BudgetType type : BudgetType.values()) {
      section(
          page,
          "### `budget` of type `" + type.wireName() + "`",
          type.fields().description(),
          type.fields().rows().stream());
    }
    section(
        page,
        "## `healthyRetryPolicy` of the notification format",
        "",
        HealthyRetryFields.OF_DOCUMENTS.all().stream().map(Field::row));

    requireSame(REFERENCE, String.join("\n", page) + "\n");
  }

  private static String names(java.util.function.Predicate<BackoffType> takes) {
    return String.join(
        ", ",
        Stream.of(BackoffType.values())
            .filter(takes)
            .map(type -> "`" + type.wireName() + "`")
            .toList());
  }

  private static void section(
      List<String> page, String title, String description, Stream<String> rows) {
    page.add("");
    page.add(title);
    page.add("");
    if (!description.isEmpty()) {
      page.add(description.replace("*", "\\*"));
      page.add("");
    }
    List<String> table = rows.toList();
    if (!table.isEmpty()) {
      page.add("| field | value | default | meaning |");
      page.add("|---|---|---|---|");
      page.addAll(table);
    } else {
      page.remove(page.size() - 1);
    }
  }

  /** Adds to a formula what documents may put around it. */
  private static ObjectNode backoff(BackoffType type) {
    ObjectNode schema = typed(BackoffType.TYPE, type.wireName(), type.formula().schema());
    ObjectNode properties = (ObjectNode) schema.get("properties");
    if (type.takesCap()) {
      properties
          .putObject(BackoffType.CAP)
          .put("description", "The longest delay.")
          .put("$ref", "#/$defs/duration");
    }
    if (type.takesJitter()) {
      properties.putObject(BackoffType.JITTER).put("$ref", "#/$defs/jitter");
    }
    properties
        .putObject(BackoffType.RETRIES)
        .put("description", "How many retries come before then; needs then.")
        .put("type", "integer")
        .put("minimum", 1)
        .put("maximum", Integer.MAX_VALUE);
    properties
        .putObject(BackoffType.THEN)
        .put(
            "description",
            "The backoff of all later retries; it counts its own retries from 1 again. Needs"
                + " retries.")
        .put("$ref", "#/$defs/backoff");
    ObjectNode needs = schema.putObject("dependentRequired");
    needs.putArray(BackoffType.RETRIES).add(BackoffType.THEN);
    needs.putArray(BackoffType.THEN).add(BackoffType.RETRIES);
    return schema;
  }

  /** Puts the type in front of the other fields. */
  private static ObjectNode typed(String field, String name, ObjectNode fields) {
    ArrayNode required = JSON.createArrayNode().add(field);
    fields.get("required").forEach(required::add);
    ObjectNode properties = JSON.createObjectNode();
    properties.putObject(field).put("const", name);
    properties.setAll((ObjectNode) fields.get("properties"));
    fields.set("required", required);
    fields.set("properties", properties);
    return fields;
  }

  private static String pretty(ObjectNode schema) {
    DefaultIndenter indenter = new DefaultIndenter("  ", "\n");
    DefaultPrettyPrinter printer =
        new DefaultPrettyPrinter(
                Separators.createDefaultInstance()
                    .withObjectNameValueSpacing(Separators.Spacing.AFTER)
                    .withArrayEmptySeparator("")
                    .withObjectEmptySeparator(""))
            .withArrayIndenter(indenter)
            .withObjectIndenter(indenter);
    return JSON.writer().with(printer).writeValueAsString(schema) + "\n";
  }

  private static void requireSame(Path file, String expected) throws IOException {
    if (Boolean.getBoolean("reprise.write")) {
      Files.writeString(file, expected);
    }
    assertThat(Files.exists(file) ? Files.readString(file) : "")
        .as("%s; -Dreprise.write=true writes it anew", file)
        .isEqualTo(expected);
  }
}
