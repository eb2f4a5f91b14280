package dev.reprise.server.http;

import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The settings of a project that operators choose.
 *
 * @param carriers the names of the carriers that it may use; {@code *} among them means all
 * @param quotas its bounds
 */
public record ProjectSettings(List<String> carriers, ProjectQuotas quotas) {
  static final String ANY_CARRIER = "*";

  /** Those of the default project unless they are set. */
  public static final ProjectSettings OF_DEFAULT =
      new ProjectSettings(List.of(ANY_CARRIER), ProjectQuotas.UNLIMITED);

  private static final int MAX_CARRIERS = 1000;

  public boolean mayUse(String carrier) {
    return carriers.contains(ANY_CARRIER) || carriers.contains(carrier);
  }

  /** Reads the fields {@code carriers} and {@code quotas}; absent ones allow no carrier and all. */
  public static ProjectSettings read(JsonNode document) {
    JsonNode names = document.get("carriers");
    List<String> carriers = new ArrayList<>();
    if (names != null && !names.isNull()) {
      boolean texts = names.isArray() && names.size() <= MAX_CARRIERS;
      for (JsonNode name : names) {
        texts &= name.isString();
        carriers.add(name.asString(""));
      }
      if (!texts) {
        throw ApiException.invalid(
            "carriers",
            RequestFields.shortened(names.toString()),
            "must be a list of up to " + MAX_CARRIERS + " names of carriers, or [\"*\"] for all");
      }
    }
    return new ProjectSettings(List.copyOf(carriers), ProjectQuotas.read(document.get("quotas")));
  }

  /** Writes what {@link #read} reads. */
  public ObjectNode write() {
    ObjectNode document = JsonNodeFactory.instance.objectNode();
    ArrayNode names = document.putArray("carriers");
    carriers.forEach(names::add);
    document.set("quotas", quotas.write());
    return document;
  }
}
