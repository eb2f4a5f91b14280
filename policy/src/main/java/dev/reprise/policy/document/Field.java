package dev.reprise.policy.document;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * One field of an object of a document, described once: how it is read, written, checked and
 * explained follows from this.
 *
 * @param name its name in documents
 * @param description a sentence on it, for the schema and the tables of reference; may be empty
 * @param required whether a document must have it
 * @param standard the value that stands for a field that is not there; null for none
 * @param getter takes the value out of what was made of the object; null is not written
 */
public record Field<T, V>(
    String name,
    String description,
    Codec<V> codec,
    boolean required,
    @Nullable V standard,
    Function<T, @Nullable V> getter) {

  /**
   * Returns the value; null after a complaint, and for a field that is not there without standard.
   */
  public @Nullable V read(Checks checks, String path, JsonNode object) {
    if (required && !object.has(name)) {
      checks.missing(Checks.join(path, name), codec.rule());
      return null;
    }
    return readOr(checks, path, object, standard);
  }

  /** Returns the value; the fallback for a field that is not there, and null after a complaint. */
  public @Nullable V readOr(Checks checks, String path, JsonNode object, @Nullable V fallback) {
    JsonNode value = object.get(name);
    return value == null ? fallback : codec.reader().read(checks, Checks.join(path, name), value);
  }

  /**
   * Returns the value that the field of a whole has after a change: as it was for a field that is
   * not there, the standard for null, which a field that is required does not take.
   */
  @Nullable V change(Checks checks, String path, JsonNode object, T before) {
    JsonNode value = object.get(name);
    return value != null && value.isNull() && !required
        ? standard
        : readOr(checks, path, object, getter.apply(before));
  }

  /** Writes the field of a value, if it has one. */
  public void write(T whole, ObjectNode object) {
    V value = getter.apply(whole);
    if (value != null) {
      object.set(name, codec.writer().apply(value));
    }
  }

  /** Returns the JSON Schema of the field. */
  public ObjectNode schema() {
    ObjectNode schema = JsonNodeFactory.instance.objectNode();
    if (!description.isEmpty()) {
      schema.put("description", description);
    }
    schema.setAll(codec.schema().deepCopy());
    if (standard != null) {
      schema.set("default", codec.writer().apply(standard));
    }
    return schema;
  }

  /** Returns the field as a row of a table of reference. */
  public String row() {
    String fallback =
        required ? "required" : standard == null ? "" : "`" + defaultText(standard) + "`";
    return "| `" + name + "` | " + codec.type() + " | " + fallback + " | " + description + " |";
  }

  private String defaultText(V value) {
    JsonNode written = codec.writer().apply(value);
    return written.isString() ? written.stringValue() : written.toString();
  }
}
