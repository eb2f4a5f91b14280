package dev.reprise.server.schema;

import org.jspecify.annotations.Nullable;

/** The kinds of values that are texts or trees of JSON in records. */
public enum Kind {
  /** As the Java type says. */
  OF_TYPE,
  /** A time. */
  TIME,
  /** The id of a message. */
  MESSAGE_ID,
  /** An object of any fields. */
  OBJECT,
  /** The setting of a subscription that has the name of the field. */
  SETTING,
  /** The settings of an HTTP endpoint; of secrets only that they are set. */
  HTTP_SETTINGS,
  /** The policy of a topic. */
  TOPIC_POLICY,
  /** The quotas of a project. */
  QUOTAS;

  /** Returns the schema of a field; null if it follows from the Java type. */
  @Nullable Schema schema(String field) {
    return switch (this) {
      case OF_TYPE -> null;
      case TIME -> Schema.TIME;
      case MESSAGE_ID -> Schema.MESSAGE_ID;
      case OBJECT -> Schema.ANY_OBJECT;
      case SETTING -> CatalogSchemas.setting(field);
      case HTTP_SETTINGS -> CatalogSchemas.httpSettings();
      case TOPIC_POLICY -> CatalogSchemas.TOPIC_POLICY;
      case QUOTAS -> CatalogSchemas.QUOTAS;
    };
  }
}
