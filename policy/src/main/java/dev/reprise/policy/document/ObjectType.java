package dev.reprise.policy.document;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The description of one kind of object of a document: its fields in their order, and how a value
 * is made of them. Reader, writer, the check for unknown fields, JSON Schema and the tables of
 * reference follow from it.
 */
public final class ObjectType<T> {
  private final Class<T> made;
  private final String description;
  private final List<Field<T, ?>> fields;
  private final Function<Values, T> maker;

  private ObjectType(Builder<T> builder, Function<Values, T> maker) {
    this.made = builder.made;
    this.description = builder.description;
    this.fields = List.copyOf(builder.fields);
    this.maker = maker;
  }

  /** Begins the description of an object of which a value of the class is made. */
  public static <T> Builder<T> of(Class<T> made, String description) {
    return new Builder<>(made, description);
  }

  /** Returns whether a value is of the kind that is made of the object. */
  public boolean describes(Object value) {
    return made.isInstance(value);
  }

  /** Returns the fields, in their order. */
  public List<Field<T, ?>> fields() {
    return fields;
  }

  /** Returns the names of the fields. */
  public List<String> names() {
    return fields.stream().map(Field::name).toList();
  }

  /** Returns the value; null after complaints. Fields that are not described are passed over. */
  public @Nullable T read(Checks checks, String path, JsonNode object) {
    return read(checks, path, object, checks.count());
  }

  /**
   * Returns the value; null after complaints, and when there have been any since an earlier count,
   * such as those about fields that are not described.
   */
  public @Nullable T read(Checks checks, String path, JsonNode object, int before) {
    return make(checks, path, object, before, field -> field.read(checks, path, object));
  }

  /**
   * Returns the value after a change (JSON Merge Patch, RFC 7396): a field that is not there stays
   * as it was, null gives an optional one its standard again. What stays is not judged again.
   *
   * @return null after complaints. Fields that are not described are passed over
   */
  public @Nullable T change(Checks checks, String path, JsonNode object, T before) {
    return make(
        checks, path, object, checks.count(), field -> field.change(checks, path, object, before));
  }

  private @Nullable T make(
      Checks checks,
      String path,
      JsonNode object,
      int before,
      Function<Field<T, ?>, @Nullable Object> reader) {
    Values values = new Values();
    for (Field<T, ?> field : fields) {
      values.read.put(field, reader.apply(field));
    }
    return checks.count() > before ? null : checks.made(path, object, () -> maker.apply(values));
  }

  /** Writes a value, every field that it has. */
  public ObjectNode write(T value) {
    return writeTo(value, JsonNodeFactory.instance.objectNode());
  }

  /** Writes the fields of a value behind those that an object has already. */
  public ObjectNode writeTo(Object value, ObjectNode object) {
    T whole = made.cast(value);
    fields.forEach(field -> field.write(whole, object));
    return object;
  }

  /** Returns the JSON Schema of the object, which allows no other fields. */
  public ObjectNode schema() {
    ObjectNode schema = JsonNodeFactory.instance.objectNode();
    if (!description.isEmpty()) {
      schema.put("description", description);
    }
    schema.put("type", "object");
    ArrayNode required = JsonNodeFactory.instance.arrayNode();
    ObjectNode properties = JsonNodeFactory.instance.objectNode();
    for (Field<T, ?> field : fields) {
      if (field.required()) {
        required.add(field.name());
      }
      properties.set(field.name(), field.schema());
    }
    schema.set("required", required);
    schema.set("properties", properties);
    return schema.put("additionalProperties", false);
  }

  /** Returns the rows of the object's table of reference. */
  public List<String> rows() {
    return fields.stream().map(Field::row).toList();
  }

  /** Returns the sentence that says what the object is. */
  public String description() {
    return description;
  }

  /** The values of the fields of one object, as they were read. */
  public static final class Values {
    private final IdentityHashMap<Field<?, ?>, @Nullable Object> read = new IdentityHashMap<>();

    private Values() {}

    /** Returns the value of a field that is required or has a standard. */
    public <V> V get(Field<?, V> field) {
      return Objects.requireNonNull(find(field), field.name());
    }

    /** Returns the value of a field; null when the document does not have it. */
    @SuppressWarnings("unchecked") // The value was read by the codec of this very field.
    public <V> @Nullable V find(Field<?, V> field) {
      return (V) read.get(field);
    }
  }

  /** Collects the fields of an object. */
  public static final class Builder<T> {
    private final Class<T> made;
    private final String description;
    private final List<Field<T, ?>> fields = new ArrayList<>();

    private Builder(Class<T> made, String description) {
      this.made = made;
      this.description = description;
    }

    /** Adds a field that must be there. */
    public <V> Field<T, V> required(
        String name, Codec<V> codec, Function<T, V> getter, String description) {
      return add(new Field<>(name, description, codec, true, null, getter));
    }

    /** Adds a field that has a value where the document does not have it. */
    public <V> Field<T, V> optional(
        String name, Codec<V> codec, V standard, Function<T, V> getter, String description) {
      return add(new Field<>(name, description, codec, false, standard, getter));
    }

    /** Adds a field whose value, where the document does not have it, follows from the others. */
    public <V> Field<T, V> derived(
        String name, Codec<V> codec, Function<T, V> getter, String description) {
      return add(new Field<>(name, description, codec, false, null, getter));
    }

    private <V> Field<T, V> add(Field<T, V> field) {
      fields.add(field);
      return field;
    }

    /** Ends the description with how a value is made of the fields. */
    public ObjectType<T> makes(Function<Values, T> maker) {
      return new ObjectType<>(this, maker);
    }
  }
}
