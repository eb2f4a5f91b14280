package dev.reprise.cli.apply;

import dev.reprise.cli.base.Json;
import dev.reprise.delivery.catalog.CatalogDocuments;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The settings of subscriptions, as the API shows them, in the form in which they are compared. */
final class ShownSettings {
  static final String TARGET = "deadLetterTarget";
  static final String HTTP = "http";

  /** They come with a new signing secret and end by themselves: they are state, not settings. */
  private static final List<String> OF_ROTATION = List.of("oldSigningSecret", "oldSigningUntil");

  private static final JsonNode SCHEMA = CatalogDocuments.settingsSchema().path("properties");

  private ShownSettings() {}

  /** Returns whether a field of {@code http} is a secret. */
  static boolean isSecret(String name) {
    return SCHEMA.at("/http/properties").path(name).path("writeOnly").asBoolean(false);
  }

  static List<String> httpNames() {
    return List.copyOf(SCHEMA.at("/http/properties").propertyNames());
  }

  /** Returns all settings but the dead-letter target, with every default that is a constant. */
  static ObjectNode normal(JsonNode shown, JsonNode wanted) {
    ObjectNode normal = Json.object();
    for (String name : SCHEMA.propertyNames()) {
      JsonNode value = shown.has(name) ? shown.get(name) : SCHEMA.path(name).path("default");
      if (!value.isMissingNode() && !value.isNull() && !name.equals(TARGET)) {
        normal.set(name, value);
      }
    }
    normal.set(HTTP, http(shown.path(HTTP), wanted.path(HTTP)));
    return normal;
  }

  private static ObjectNode http(JsonNode shown, JsonNode wanted) {
    ObjectNode http = Json.object();
    for (String name : httpNames()) {
      JsonNode fallback = SCHEMA.at("/http/properties").path(name).path("default");
      JsonNode value = shown.has(name) ? shown.get(name) : fallback;
      boolean ofRotation = OF_ROTATION.contains(name) && !wanted.has(name);
      if (!value.isMissingNode() && !value.isNull() && !ofRotation) {
        http.set(name, isSecret(name) ? Json.object().put("set", true) : value);
      }
    }
    return http;
  }

  /** Returns whether a setting is as it is without being given. */
  static boolean isDefault(String name, JsonNode value) {
    JsonNode fallback = SCHEMA.path(name).path("default");
    return value.isNull() || Difference.equal(value, fallback);
  }

  /** Returns whether a field of {@code http} is as it is without being given. */
  static boolean isHttpDefault(String name, JsonNode value) {
    return OF_ROTATION.contains(name)
        || Difference.equal(value, SCHEMA.at("/http/properties").path(name).path("default"));
  }
}
