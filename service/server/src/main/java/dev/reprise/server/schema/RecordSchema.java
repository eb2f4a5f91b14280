package dev.reprise.server.schema;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Derives the schema of a record from its components as Jackson writes them: one that is left out
 * when it has no value may be absent, every other is always there.
 */
final class RecordSchema {
  private static final Map<Class<?>, Schema> PLAIN =
      Map.of(
          String.class, Schema.TEXT,
          boolean.class, Schema.FLAG,
          Boolean.class, Schema.FLAG,
          int.class, Schema.integer(0),
          Integer.class, Schema.integer(0),
          long.class, Schema.COUNT,
          Long.class, Schema.COUNT,
          double.class, Schema.NUMBER,
          Double.class, Schema.NUMBER,
          JsonNode.class, Schema.ANY);

  private RecordSchema() {}

  static ObjectNode of(Class<? extends Record> type, Components all) {
    Described described = type.getAnnotation(Described.class);
    ObjectSchema fields = new ObjectSchema();
    addFields(type, fields);
    Schema schema = fields.closed();
    if (described != null) {
      schema = schema.described(described.value());
      if (!described.name().isEmpty()) {
        schema = schema.named(described.name());
      }
    }
    return schema.in(all);
  }

  private static void addFields(Class<?> type, ObjectSchema fields) {
    for (RecordComponent component : type.getRecordComponents()) {
      if (component.getAccessor().isAnnotationPresent(JsonUnwrapped.class)) {
        addFields(component.getType(), fields);
      } else if (mayBeAbsent(component)) {
        fields.optional(component.getName(), schema(component));
      } else {
        fields.required(component.getName(), schema(component));
      }
    }
  }

  private static boolean mayBeAbsent(RecordComponent component) {
    Described described = component.getAnnotation(Described.class);
    if (described != null && described.orAbsent()) {
      return true;
    }
    return component.getAccessor().isAnnotationPresent(JsonInclude.class);
  }

  private static Schema schema(RecordComponent component) {
    Described described = component.getAnnotation(Described.class);
    if (described == null) {
      return schema(component, component.getGenericType(), "");
    }
    Schema schema = described.kind().schema(component.getName());
    if (schema == null) {
      schema = schema(component, component.getGenericType(), described.oneOf());
    }
    if (described.signed()) {
      schema = schema.changed(number -> number.remove("minimum"));
    }
    if (described.orNull()) {
      schema = schema.orNull();
    }
    return schema.described(described.value());
  }

  private static Schema schema(RecordComponent component, Type type, String oneOf) {
    String[] values = oneOf.isEmpty() ? null : oneOf.split(", ");
    if (type == String.class && values != null) {
      return Schema.oneOf(values);
    }
    if (type instanceof Class<?> plain) {
      return plain.isRecord() ? Schema.of(plain.asSubclass(Record.class)) : plain(component, plain);
    }
    if (type instanceof ParameterizedType several) {
      Type[] parts = several.getActualTypeArguments();
      if (several.getRawType() == List.class) {
        return Schema.list(schema(component, parts[0], oneOf));
      }
      if (several.getRawType() == Map.class) {
        Schema map = Schema.map(schema(component, parts[1], ""));
        return values == null ? map : map.with("propertyNames", keys(values));
      }
    }
    throw unknown(component);
  }

  private static Schema keys(String... values) {
    return Schema.oneOf(values).changed(schema -> schema.remove("type"));
  }

  private static Schema plain(RecordComponent component, Class<?> type) {
    Schema schema = PLAIN.get(type);
    if (schema == null) {
      throw unknown(component);
    }
    return schema;
  }

  private static IllegalStateException unknown(RecordComponent component) {
    return new IllegalStateException(
        component.getDeclaringRecord().getName()
            + "."
            + component.getName()
            + " has the type "
            + component.getGenericType()
            + ", for which there is no schema");
  }
}
