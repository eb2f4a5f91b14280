package dev.reprise.server.schema;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** A JSON Schema as OpenAPI 3.1 has it (2020-12). Immutable. */
public final class Schema {
  /** Any value. */
  public static final Schema ANY = new Schema(all -> object());

  public static final Schema TEXT = type("string");

  public static final Schema FLAG = type("boolean");

  /** An object of any fields. */
  public static final Schema ANY_OBJECT = type("object").with("additionalProperties", true);

  /** A time as requests may have it. */
  public static final Schema ANY_TIME = TEXT.with("format", "date-time");

  /** An integer from 0 that may have 64 bits. */
  public static final Schema COUNT = integer(0).with("format", "int64");

  /** A whole number, less than 0 too. */
  public static final Schema SIGNED = type("integer").with("format", "int64");

  /** A number from 0. */
  public static final Schema NUMBER = type("number").with("format", "double").with("minimum", 0);

  /** A time as answers have it. */
  public static final Schema TIME =
      ANY_TIME
          .with("pattern", "^[0-9]{4,}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$")
          .described("RFC 3339, UTC, with milliseconds.")
          .withExamples("2026-01-31T12:00:00.000Z")
          .named("Time");

  /** The id of a message. */
  public static final Schema MESSAGE_ID =
      TEXT.with("pattern", "^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$")
          .described("A version 7 UUID: ids sort by the time of publishing.")
          .withExamples("01934c5e-7b2a-7c3d-8e4f-5a6b7c8d9e0f")
          .named("MessageId");

  private final Function<Components, ObjectNode> maker;

  Schema(Function<Components, ObjectNode> maker) {
    this.maker = maker;
  }

  private static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  private static Schema type(String type) {
    return new Schema(all -> object().put("type", type));
  }

  /** Returns a reference to one that is described elsewhere. */
  public static Schema reference(String name) {
    return new Schema(all -> Components.reference(name));
  }

  /** Returns that of a text of at most so many characters. */
  public static Schema text(int maxLength) {
    return TEXT.with("maxLength", maxLength);
  }

  /** Returns that of an integer with a lowest value. */
  public static Schema integer(long least) {
    return type("integer").with("minimum", least);
  }

  /** Returns that of an integer between two values, both included. */
  public static Schema integer(long least, long most) {
    return integer(least).with("maximum", most);
  }

  /** Returns that of a text that is one of some. */
  public static Schema oneOf(String... values) {
    return TEXT.changed(schema -> addAll(schema.putArray("enum"), values));
  }

  private static void addAll(ArrayNode array, String... values) {
    List.of(values).forEach(array::add);
  }

  /** Returns that of a value that fits one of several. */
  public static Schema anyOf(Schema... choices) {
    return new Schema(
        all -> {
          ObjectNode schema = object();
          ArrayNode array = schema.putArray("anyOf");
          for (Schema choice : choices) {
            array.add(choice.in(all));
          }
          return schema;
        });
  }

  /** Returns that of a list. */
  public static Schema list(Schema items) {
    return new Schema(
        all -> {
          ObjectNode schema = object().put("type", "array");
          schema.set("items", items.in(all));
          return schema;
        });
  }

  /** Returns that of an object whose fields may have any names. */
  public static Schema map(Schema values) {
    return new Schema(
        all -> {
          ObjectNode schema = object().put("type", "object");
          schema.set("additionalProperties", values.in(all));
          return schema;
        });
  }

  /** Returns that of a record as the API writes it. */
  public static Schema of(Class<? extends Record> type) {
    return new Schema(all -> RecordSchema.of(type, all));
  }

  /** Returns one that is described elsewhere, and refers to no other. */
  public static Schema of(JsonNode schema) {
    return new Schema(all -> (ObjectNode) schema.deepCopy());
  }

  /** Begins that of an object with its fields, which has no others. */
  public static ObjectSchema fields() {
    return new ObjectSchema();
  }

  /** Returns that of a part of a list. */
  public static Schema page(String name, Class<? extends Record> items) {
    return page(items).closed().named(name);
  }

  /** Returns that of a part of a list that says how much was looked at for it. */
  public static Schema seenPage(String name, Class<? extends Record> items) {
    return page(items)
        .required("seen", COUNT, "How many records were looked at for this part.")
        .closed()
        .named(name);
  }

  private static ObjectSchema page(Class<? extends Record> items) {
    return fields()
        .required("items", list(of(items)))
        .required("next", TEXT.orNull(), "The cursor of the next part; null at the end.");
  }

  Schema changed(Consumer<ObjectNode> change) {
    return new Schema(
        all -> {
          ObjectNode schema = in(all);
          change.accept(schema);
          return schema;
        });
  }

  /** Returns the same with a sentence on it; with none if that is empty. */
  public Schema described(String sentence) {
    return sentence.isEmpty() ? this : with("description", sentence);
  }

  /** Returns the same with a keyword more. */
  public Schema with(String keyword, String value) {
    return changed(schema -> schema.put(keyword, value));
  }

  /** Returns the same with a keyword more. */
  public Schema with(String keyword, long value) {
    return changed(schema -> schema.put(keyword, value));
  }

  /** Returns the same with a keyword more. */
  public Schema with(String keyword, double value) {
    return changed(schema -> schema.put(keyword, value));
  }

  /** Returns the same with a keyword more. */
  public Schema with(String keyword, boolean value) {
    return changed(schema -> schema.put(keyword, value));
  }

  /** Returns the same with a keyword whose value is a schema. */
  public Schema with(String keyword, Schema value) {
    return new Schema(
        all -> {
          ObjectNode schema = in(all);
          schema.set(keyword, value.in(all));
          return schema;
        });
  }

  /** Returns the same with examples. */
  public Schema withExamples(String... examples) {
    return changed(schema -> addAll(schema.putArray("examples"), examples));
  }

  /** Returns that of the same or null. */
  public Schema orNull() {
    return changed(Schema::allowNull);
  }

  static void allowNull(ObjectNode schema) {
    JsonNode type = schema.get("type");
    if (type == null && !schema.has("$ref")) {
      // Any value, null among them.
      return;
    }
    if (type == null) {
      ObjectNode whole = schema.deepCopy();
      schema.removeAll();
      ArrayNode choices = schema.putArray("anyOf");
      JsonNode description = whole.remove("description");
      if (description != null) {
        schema.set("description", description);
      }
      choices.add(whole);
      choices.addObject().put("type", "null");
      return;
    }
    schema.putArray("type").add(type).add("null");
    if (schema.get("enum") instanceof ArrayNode constants) {
      constants.addNull();
    }
  }

  /** Returns a reference to the schema, which gets a place of its own. */
  public Schema named(String name) {
    return new Schema(all -> all.reference(name, () -> in(all)));
  }

  /** Returns the schema as JSON; those that it refers to are among {@code all} then. */
  public ObjectNode in(Components all) {
    return maker.apply(all);
  }
}
