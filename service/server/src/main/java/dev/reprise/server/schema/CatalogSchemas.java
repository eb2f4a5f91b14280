package dev.reprise.server.schema;

import dev.reprise.delivery.Payload;
import dev.reprise.delivery.catalog.CatalogDocuments;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The schemas of what people set up: subscriptions, the policies of topics, quotas. */
public final class CatalogSchemas {
  /** The policy of a topic. */
  public static final Schema TOPIC_POLICY =
      Schema.fields()
          .optional("healthyRetryPolicy", Schema.ANY)
          .optional("throttlePolicy", Schema.ANY)
          .optional("disableSubscriptionOverrides", Schema.FLAG)
          .open()
          .described(
              "What a topic says on retries and throttling, in the format of Amazon SNS delivery"
                  + " policies (its JSON Schema comes with the policy module).")
          .named("TopicPolicy");

  private static final int MAX_QUOTA = 999_999_999;
  private static final int MAX_RATE = 1_000_000;

  /** The quotas of a project. */
  public static final Schema QUOTAS =
      Schema.fields()
          .optional("topics", quota(MAX_QUOTA), "The most topics.")
          .optional("subscriptions", quota(MAX_QUOTA), "The most subscriptions.")
          .optional(
              "publishesPerSecond",
              quota(MAX_RATE),
              "The most publishes a second, with bursts of one second's worth. Of lines, each is"
                  + " one.")
          .optional(
              "pendingDeliveries",
              quota(MAX_QUOTA),
              "The number of pending deliveries from which publishing is refused. They are counted"
                  + " about once a second, so a burst may go beyond it.")
          .optional(
              "messageBytes",
              quota(Payload.MAX_BYTES),
              "The most bytes of a message's bodies and attributes.")
          .closed()
          .described("The bounds of a project; one that is absent or null is none.")
          .named("Quotas");

  /** The settings of a new subscription. */
  public static final Schema SETTINGS = Schema.of(settings()).named("SubscriptionSettings");

  /** A change of a subscription. */
  public static final Schema CHANGE =
      Schema.of(change())
          .described("What is absent stays as it is; null gives the default back.")
          .named("SubscriptionChange");

  private static final String HTTP = "http";

  private static final Schema SECRET =
      Schema.fields()
          .required("set", Schema.FLAG)
          .required("key", Schema.TEXT)
          .closed()
          .described(
              "A secret is never shown: only that it is set, and under which key it is encrypted.")
          .named("SecretState");

  private CatalogSchemas() {}

  private static Schema quota(long most) {
    return Schema.integer(1, most).orNull();
  }

  /**
   * Returns the settings that are read; a client that leaves a field out need not know its default.
   */
  private static ObjectNode settings() {
    ObjectNode schema = CatalogDocuments.settingsSchema();
    properties(schema).forEach(field -> ((ObjectNode) field).remove("default"));
    return schema;
  }

  /** The same, of which each may be absent, and each but the endpoint null. */
  private static ObjectNode change() {
    ObjectNode schema = settings();
    schema.remove("required");
    ObjectNode fields = properties(schema);
    ObjectNode http = (ObjectNode) fields.get(HTTP);
    properties(http)
        .forEach(
            field -> {
              ((ObjectNode) field).remove("default");
              Schema.allowNull((ObjectNode) field);
            });
    http.put(
        "description",
        "A field that is absent stays as it is, one that is null is removed; null for all of"
            + " them.");
    fields.forEachEntry(
        (name, field) -> {
          if (!name.equals("endpoint")) {
            Schema.allowNull((ObjectNode) field);
          }
        });
    return schema;
  }

  private static ObjectNode properties(ObjectNode schema) {
    return (ObjectNode) schema.get("properties");
  }

  /** Returns the schema of one of the settings. */
  static Schema setting(String name) {
    return Schema.of(properties(settings()).get(name));
  }

  /** Returns the schema of the settings of an HTTP endpoint as they are shown, without secrets. */
  static Schema httpSettings() {
    return new Schema(
        all -> {
          ObjectNode schema = (ObjectNode) properties(settings()).get(HTTP);
          ObjectNode fields = properties(schema);
          for (String name : List.copyOf(fields.propertyNames())) {
            JsonNode field = fields.get(name);
            ((ObjectNode) field).remove("default");
            if (field.path("writeOnly").asBoolean(false)) {
              fields.set(name, SECRET.in(all));
            }
          }
          return schema;
        });
  }
}
