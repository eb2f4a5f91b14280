package dev.reprise.server.schema;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Collects the schemas that have a name, each of which is written once. Not thread-safe. */
public final class Components {
  private static final String PLACE = "#/components/schemas/";

  private final Map<String, ObjectNode> named = new TreeMap<>();

  /** Returns a reference to a schema, which is made when it is first asked for. */
  ObjectNode reference(String name, Supplier<ObjectNode> schema) {
    if (!named.containsKey(name)) {
      // In its place before it is made: it may refer to itself.
      ObjectNode made = JsonNodeFactory.instance.objectNode();
      named.put(name, made);
      made.setAll(schema.get());
    }
    return reference(name);
  }

  static ObjectNode reference(String name) {
    return JsonNodeFactory.instance.objectNode().put("$ref", PLACE + name);
  }

  /** Returns the schemas that were asked for, by name. */
  public ObjectNode toJson() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    named.forEach(json::set);
    return json;
  }
}
