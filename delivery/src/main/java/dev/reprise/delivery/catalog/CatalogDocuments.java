package dev.reprise.delivery.catalog;

import dev.reprise.policy.Checks;
import dev.reprise.policy.NotificationPolicy;
import dev.reprise.policy.ObjectType;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.policy.Violation;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Topics and subscriptions as JSON: the one form for the store and for the API. */
public final class CatalogDocuments {
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).build();

  private CatalogDocuments() {}

  /** Returns the JSON Schema of the settings of a new subscription, with their defaults. */
  public static ObjectNode settingsSchema() {
    return CatalogTypes.REQUESTED_SETTINGS.schema();
  }

  /**
   * Reads a subscription's settings.
   *
   * @param document the object; a field that is absent keeps what {@code base} says, one that is
   *     null gets its default
   * @param base the settings before; null for a new subscription, which must name its endpoint
   * @throws InvalidRequestException with every rule that is broken
   */
  public static SubscriptionSettings readSettings(
      JsonNode document, @Nullable SubscriptionSettings base) {
    if (!document.isObject()) {
      throw new InvalidRequestException("subscription", document.toString(), "must be an object");
    }
    ObjectType<SubscriptionSettings> type = CatalogTypes.REQUESTED_SETTINGS;
    List<String> known = type.names();
    Checks checks = new Checks();
    for (String name : document.propertyNames()) {
      if (!known.contains(name)) {
        checks.add(
            new Violation(
                name,
                document.path(name).toString(),
                "is not a field of a subscription; fields are " + String.join(", ", known)));
      }
    }
    if (base == null && !document.has("endpoint")) {
      checks.add(new Violation("endpoint", "absent", "must be a URL"));
    }
    SubscriptionSettings from = base == null ? SubscriptionSettings.of("") : base;
    return valid(checks, type.change(checks, "", document, from));
  }

  /** Writes settings as the API shows them. */
  public static ObjectNode writeSettings(SubscriptionSettings settings) {
    return CatalogTypes.REQUESTED_SETTINGS.write(settings);
  }

  /**
   * Writes a topic for the store.
   *
   * @param before what is stored so far; null for a new topic. Its fields that this version does
   *     not know are kept
   */
  static byte[] write(Topic topic, byte @Nullable [] before) {
    ObjectNode document = stored(before);
    JsonNode policyBefore = document.get("policy");
    CatalogTypes.STORED_TOPIC.writeTo(topic, document);
    keepSame(document, policyBefore, topic.policy());
    return JSON.writeValueAsBytes(document);
  }

  static Topic readTopic(byte[] stored) {
    return read(CatalogTypes.STORED_TOPIC, stored);
  }

  /**
   * Writes a subscription for the store.
   *
   * @param before what is stored so far; null for a new subscription. Its fields that this version
   *     does not know are kept
   */
  static byte[] write(Subscription subscription, byte @Nullable [] before) {
    ObjectNode document = stored(before);
    ObjectNode settings =
        document.get("settings") instanceof ObjectNode known ? known : JSON.createObjectNode();
    JsonNode policyBefore = settings.get("policy");
    CatalogTypes.STORED_SETTINGS.names().forEach(settings::remove);
    CatalogTypes.STORED_SETTINGS.writeTo(subscription.settings(), settings);
    keepSame(settings, policyBefore, subscription.settings().policy());
    CatalogTypes.STORED_SUBSCRIPTION.writeTo(subscription, document).set("settings", settings);
    return JSON.writeValueAsBytes(document);
  }

  static Subscription readSubscription(byte[] stored) {
    return read(CatalogTypes.STORED_SUBSCRIPTION, stored);
  }

  /** Reads settings without today's ranges: what is stored was accepted once. */
  static SubscriptionSettings readStoredSettings(JsonNode document) {
    requireField(document, "endpoint");
    Checks checks = new Checks();
    return valid(
        checks,
        CatalogTypes.STORED_SETTINGS.change(checks, "", document, SubscriptionSettings.of("")));
  }

  private static <T> T read(ObjectType<T> type, byte[] stored) {
    JsonNode document = JSON.readTree(stored);
    type.names().forEach(name -> requireField(document, name));
    Checks checks = new Checks();
    return valid(checks, type.read(checks, "", document));
  }

  private static void requireField(JsonNode document, String field) {
    if (!document.has(field)) {
      throw new InvalidRequestException(field, "absent", CatalogCodecs.STORED_RULE);
    }
  }

  private static <T> T valid(Checks checks, @Nullable T read) {
    if (read == null || checks.count() > 0) {
      throw new InvalidRequestException(checks.violations());
    }
    return read;
  }

  private static ObjectNode stored(byte @Nullable [] before) {
    return before != null && JSON.readTree(before) instanceof ObjectNode known
        ? known
        : JSON.createObjectNode();
  }

  /** Keeps a policy that is the same as it stands: with what this version does not know of it. */
  private static void keepSame(
      ObjectNode document, @Nullable JsonNode before, @Nullable NotificationPolicy policy) {
    if (before != null && policy != null && PolicyDocuments.readStored(before).equals(policy)) {
      document.set("policy", before);
    }
  }
}
