package dev.reprise.cli.apply;

import dev.reprise.cli.base.Json;
import dev.reprise.policy.document.DurationText;
import dev.reprise.server.document.CarrierTypeDocument;
import java.time.Duration;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The settings of one kind of carrier, as the service describes them: one form for all ways to
 * write the same.
 *
 * @param properties the JSON Schema of each setting
 */
record CarrierSettings(JsonNode properties) {
  static CarrierSettings of(CarrierTypeDocument type) {
    return new CarrierSettings(type.settings().path("properties"));
  }

  List<String> names() {
    return List.copyOf(properties.propertyNames());
  }

  boolean isSecret(String name) {
    return properties.path(name).path("writeOnly").asBoolean(false);
  }

  boolean isText(String name) {
    return properties.path(name).path("type").asString("").equals("string");
  }

  /** Returns the settings with every default, durations in ISO 8601, and secrets only as set. */
  ObjectNode normal(JsonNode settings) {
    ObjectNode normal = Json.object();
    for (String name : properties.propertyNames()) {
      JsonNode schema = properties.path(name);
      JsonNode value = settings.path(name);
      if (value.isMissingNode() || value.isNull()) {
        value = schema.path("default");
      }
      if (!value.isMissingNode()) {
        normal.set(name, isSecret(name) ? Json.object().put("set", true) : normal(schema, value));
      }
    }
    return normal;
  }

  private static JsonNode normal(JsonNode schema, JsonNode value) {
    if (schema.path("$ref").asString("").endsWith("/duration")) {
      Duration duration = value.isString() ? DurationText.read(value.stringValue()) : null;
      return duration == null ? value : Json.text(duration.toString());
    }
    if (schema.path("type").asString("").equals("string") && value.isIntegralNumber()) {
      // The service takes a text of digits as a number, too.
      return Json.text(value.asString());
    }
    if (value.isArray() && schema.has("items")) {
      ArrayNode array = Json.object().putArray("items");
      value.forEach(each -> array.add(normal(schema.path("items"), each)));
      return array;
    }
    return value;
  }
}
