package dev.reprise.server.schema;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Collects the fields of an object. Used by one thread. */
public final class ObjectSchema {
  private final Map<String, Schema> fields = new LinkedHashMap<>();
  private final List<String> required = new ArrayList<>();

  ObjectSchema() {}

  /** Adds a field that is always there. */
  public ObjectSchema required(String name, Schema schema) {
    required.add(name);
    return optional(name, schema);
  }

  /** Adds a field that is always there, with a sentence on it. */
  public ObjectSchema required(String name, Schema schema, String sentence) {
    return required(name, schema.described(sentence));
  }

  /** Adds a field that may be absent. */
  public ObjectSchema optional(String name, Schema schema) {
    fields.put(name, schema);
    return this;
  }

  /** Adds a field that may be absent, with a sentence on it. */
  public ObjectSchema optional(String name, Schema schema, String sentence) {
    return optional(name, schema.described(sentence));
  }

  /** Returns the schema of the object, which has no other fields. */
  public Schema closed() {
    return open().with("additionalProperties", false);
  }

  /** Returns the schema of the object, which may have other fields. */
  public Schema open() {
    Map<String, Schema> all = new LinkedHashMap<>(fields);
    List<String> always = List.copyOf(required);
    return new Schema(
        components -> {
          ObjectNode schema = JsonNodeFactory.instance.objectNode().put("type", "object");
          ObjectNode properties = schema.putObject("properties");
          all.forEach((name, field) -> properties.set(name, field.in(components)));
          ArrayNode names = schema.putArray("required");
          always.forEach(names::add);
          return schema;
        });
  }
}
