package dev.reprise.server.openapi;

import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The description of the API in OpenAPI 3.0.3, made of the one in 3.1: several generators of
 * clients for Go and C# read nothing newer. It says the same of every operation; of schemas it
 * leaves out {@code propertyNames}, for which 3.0 has no word.
 */
public final class OpenApi30 {
  /** Members of these are named by us, so a name such as {@code type} is no keyword among them. */
  private static final Set<String> MAPS =
      Set.of("properties", "schemas", "responses", "paths", "content", "headers", "parameters");

  /** Values, which are given as they are. */
  private static final Set<String> VALUES = Set.of("example", "default", "enum");

  private OpenApi30() {}

  /** Returns the description in 3.0 of one in 3.1, both as UTF-8. */
  public static byte[] of(byte[] description31) {
    ObjectNode document = (ObjectNode) JsonMapper.shared().readTree(description31);
    document.put("openapi", "3.0.3");
    JsonNode license = document.path("info").path("license");
    if (license instanceof ObjectNode known && known.has("identifier")) {
      // An identifier of SPDX; 3.0 wants an address or nothing.
      known.put(
          "url", "https://spdx.org/licenses/" + known.remove("identifier").asString() + ".html");
    }
    convert(document);
    return JsonMapper.shared().writeValueAsBytes(document);
  }

  private static void convert(JsonNode node) {
    if (node instanceof ArrayNode items) {
      items.forEach(OpenApi30::convert);
    } else if (node instanceof ObjectNode object) {
      convertMembers(object);
      convertKeywords(object);
    }
  }

  private static void convertMembers(ObjectNode object) {
    for (Map.Entry<String, JsonNode> member : object.properties()) {
      if (MAPS.contains(member.getKey()) && member.getValue() instanceof ObjectNode map) {
        map.forEach(OpenApi30::convert);
      } else if (!VALUES.contains(member.getKey())) {
        convert(member.getValue());
      }
    }
  }

  private static void convertKeywords(ObjectNode schema) {
    if (schema.get("type") instanceof ArrayNode types) {
      nullableType(schema, types);
    }
    if (schema.get("anyOf") instanceof ArrayNode choices && removeNull(choices)) {
      schema.put("nullable", true);
      if (choices.size() == 1) {
        onlyChoice(schema, choices.get(0));
      }
    }
    if (schema.has("$ref") && schema.size() > 1) {
      // Beside a reference, 3.0 reads nothing else.
      JsonNode reference = schema.remove("$ref");
      schema.putArray("allOf").addObject().set("$ref", reference);
    }
    if (schema.has("const")) {
      JsonNode value = schema.remove("const");
      schema.putArray("enum").add(value);
    }
    if (schema.get("examples") instanceof ArrayNode examples) {
      schema.remove("examples");
      schema.set("example", examples.get(0));
    }
    if (schema.path("contentEncoding").asString("").equals("base64")) {
      schema.remove("contentEncoding");
      schema.put("format", "byte");
    }
    schema.remove("propertyNames");
  }

  private static void nullableType(ObjectNode schema, ArrayNode types) {
    String only = null;
    for (JsonNode type : types) {
      if (type.asString().equals("null")) {
        schema.put("nullable", true);
      } else if (only == null) {
        only = type.asString();
      } else {
        throw new IllegalStateException("3.0 has no schema of several types: " + schema);
      }
    }
    schema.put("type", only);
  }

  private static boolean removeNull(ArrayNode choices) {
    boolean removed = false;
    for (Iterator<JsonNode> i = choices.iterator(); i.hasNext(); ) {
      JsonNode choice = i.next();
      if (choice.path("type").asString("").equals("null")) {
        i.remove();
        removed = true;
      }
    }
    return removed;
  }

  private static void onlyChoice(ObjectNode schema, JsonNode choice) {
    if (choice.has("$ref")) {
      schema.set("allOf", schema.remove("anyOf"));
    } else {
      schema.remove("anyOf");
      for (Map.Entry<String, JsonNode> member : choice.properties()) {
        if (!schema.has(member.getKey())) {
          schema.set(member.getKey(), member.getValue());
        }
      }
    }
  }
}
