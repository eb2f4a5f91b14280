package dev.reprise.server.schema;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The kinds of values that are texts or trees of JSON in records. */
public enum Kind {
  /** As the Java type says. */
  OF_TYPE(null),
  /** A time. */
  TIME(name -> Schema.TIME),
  /** The id of a message. */
  MESSAGE_ID(name -> Schema.MESSAGE_ID),
  /** An object of any fields. */
  OBJECT(name -> Schema.ANY_OBJECT),
  /** The setting of a subscription that has the name of the field. */
  SETTING(CatalogSchemas::setting),
  /** The settings of an HTTP endpoint; of secrets only that they are set. */
  HTTP_SETTINGS(name -> CatalogSchemas.httpSettings()),
  /** The policy of a topic. */
  TOPIC_POLICY(name -> CatalogSchemas.TOPIC_POLICY),
  /** The quotas of a project. */
  QUOTAS(name -> CatalogSchemas.QUOTAS);

  private final @Nullable Function<String, Schema> schema;

  Kind(@Nullable Function<String, Schema> schema) {
    this.schema = schema;
  }

  /** Returns the schema of a field; null if it follows from the Java type. */
  @Nullable Schema schema(String field) {
    return schema == null ? null : schema.apply(field);
  }
}
