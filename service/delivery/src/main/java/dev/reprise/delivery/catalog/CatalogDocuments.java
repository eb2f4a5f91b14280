package dev.reprise.delivery.catalog;

import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.secret.SecretKeys;
import dev.reprise.policy.NotificationPolicy;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.policy.document.Checks;
import dev.reprise.policy.document.Field;
import dev.reprise.policy.document.ObjectType;
import dev.reprise.policy.document.Violation;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Topics and subscriptions as JSON: the one form for the store and for the API. */
public final class CatalogDocuments {
  private static final String HTTP = "http";
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
   * @param keys encrypt the secrets among them
   * @throws InvalidRequestException with every rule that is broken
   */
  public static SubscriptionSettings readSettings(
      JsonNode document, @Nullable SubscriptionSettings base, SecretKeys keys) {
    SubscriptionSettings read = readUnjudged(document, base, keys);
    if (document.has(HTTP)) {
      HttpSecretRules.check(read.http(), keys);
    }
    return together(read, base, document);
  }

  /**
   * Returns how the API shows a new subscription with these settings. Its secrets need not be
   * known: each counts as set, whatever stands there, and rules on what it holds are not checked.
   *
   * @throws InvalidRequestException with every other rule that is broken
   */
  public static ObjectNode shownSettings(JsonNode document) {
    return writeSettings(together(readUnjudged(document, null, null), null, document));
  }

  /**
   * Reads settings without the rules on secrets.
   *
   * @param keys encrypt the secrets; null if none is known
   */
  private static SubscriptionSettings readUnjudged(
      JsonNode document, @Nullable SubscriptionSettings base, @Nullable SecretKeys keys) {
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
      checks.add(new Violation("endpoint", "absent", "must be given"));
    }
    SubscriptionSettings from = base == null ? SubscriptionSettings.of("") : base;
    JsonNode request = withHttp(checks, document, from.http(), keys);
    SubscriptionSettings read = valid(checks, type.change(checks, "", request, from));
    return read.withNamesByUts46(
        base == null || base.namesByUts46() || namesAreMeant(document, read));
  }

  /**
   * Whether each name that could be another one by UTS 46 is given: one does not speak for both.
   */
  private static boolean namesAreMeant(JsonNode document, SubscriptionSettings read) {
    boolean endpointIsMeant = document.has("endpoint") || !NameChange.isOfEndpoint(read);
    boolean tokenUrlIsMeant = document.path(HTTP).has("tokenUrl") || !NameChange.isOfTokenUrl(read);
    return endpointIsMeant && tokenUrlIsMeant;
  }

  /** The request with its object {@code http} merged into the previous one, secrets encrypted. */
  private static JsonNode withHttp(
      Checks checks, JsonNode document, HttpEndpointSettings before, @Nullable SecretKeys keys) {
    if (!(document.get(HTTP) instanceof ObjectNode asked)) {
      return document;
    }
    ObjectNode http = HttpSettingsType.STORED.write(before);
    ObjectNode change = asked.deepCopy();
    if (keys == null) {
      SecretFields.assume(change, HttpSettingsType.secrets());
    } else {
      SecretFields.seal(checks, HTTP, change, HttpSettingsType.secrets(), HTTP, keys);
    }
    for (Map.Entry<String, JsonNode> field : change.properties()) {
      if (field.getValue().isNull()) {
        http.remove(field.getKey());
      } else {
        http.set(field.getKey(), field.getValue());
      }
    }
    ObjectNode request = ((ObjectNode) document).deepCopy();
    request.set(HTTP, http);
    return request;
  }

  /** The rules that several fields of a subscription obey together. */
  private static SubscriptionSettings together(
      SubscriptionSettings settings, @Nullable SubscriptionSettings base, JsonNode document) {
    Protocol protocol = settings.protocol();
    if (base == null && !document.has("format")) {
      return together(settings.withFormat(BodyFormat.defaultOf(protocol)), settings, document);
    }
    if (base != null && base.protocol() != protocol) {
      throw new InvalidRequestException(
          "protocol",
          protocol.wireName(),
          "must stay " + base.protocol().wireName() + ": make another subscription");
    }
    boolean needsCarrier =
        protocol == Protocol.SMS || protocol == Protocol.EMAIL || protocol == Protocol.QUEUE;
    if (needsCarrier && settings.carrier() == null) {
      throw new InvalidRequestException(
          "carrier", "absent", "must be given for " + protocol.wireName());
    }
    if (!settings.isUrl() && !settings.http().equals(HttpEndpointSettings.NONE)) {
      throw new InvalidRequestException(
          HTTP, "not shown", "must be absent: the endpoint is no URL that is posted to");
    }
    if (base != null) {
      checkSecretsStay(base, settings);
    }
    return settings;
  }

  /** The right to change a subscription does not include reading secrets that are never shown. */
  private static void checkSecretsStay(SubscriptionSettings before, SubscriptionSettings after) {
    Checks checks = new Checks();
    if (!before.host().equals(after.host())) {
      String rule =
          "must be given again, or null, as the endpoint goes to another host: what was meant for "
              + before.host()
              + " does not follow";
      Map<String, String> kept = secretsOf(after);
      secretsOf(before)
          .forEach(
              (name, secret) -> {
                if (secret.equals(kept.get(name))) {
                  checks.add(new Violation(name, "not shown", rule));
                }
              });
      if (!before.http().headers().isEmpty()
          && before.http().headers().equals(after.http().headers())) {
        checks.add(new Violation(HTTP + ".headers", "not shown", rule));
      }
    }
    SealedSecret clientSecret = before.http().clientSecret();
    String tokenUrl = before.http().tokenUrl();
    String newTokenUrl = after.http().tokenUrl();
    if (clientSecret != null
        && clientSecret.equals(after.http().clientSecret())
        && tokenUrl != null
        && newTokenUrl != null
        && !HostKey.of(tokenUrl).equals(HostKey.of(newTokenUrl))) {
      checks.add(
          new Violation(
              HTTP + ".clientSecret",
              "not shown",
              "must be given again, as tokenUrl goes to another host: what was meant for "
                  + HostKey.of(tokenUrl)
                  + " does not follow"));
    }
    if (checks.count() > 0) {
      throw new InvalidRequestException(checks.violations());
    }
  }

  /** Writes settings as the API shows them: without secrets. */
  public static ObjectNode writeSettings(SubscriptionSettings settings) {
    ObjectNode written = CatalogTypes.REQUESTED_SETTINGS.write(settings);
    if (written.get(HTTP) instanceof ObjectNode http) {
      SecretFields.hide(http, HttpSettingsType.secrets());
    }
    return written;
  }

  /** Returns the stored secrets of settings, encrypted, by the names that they are bound to. */
  static Map<String, String> secretsOf(SubscriptionSettings settings) {
    return SecretFields.of(
        HttpSettingsType.STORED.write(settings.http()), HttpSettingsType.secrets(), HTTP);
  }

  /**
   * Returns the settings with their secrets encrypted under the current key; the same object if
   * they are already.
   */
  static SubscriptionSettings rotated(SubscriptionSettings settings, SecretKeys keys) {
    ObjectNode document = CatalogTypes.STORED_SETTINGS.write(settings);
    return document.get(HTTP) instanceof ObjectNode http
            && SecretFields.rotate(http, HttpSettingsType.secrets(), HTTP, keys)
        ? readStoredSettings(document)
        : settings;
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

  static byte[] write(CarrierDefinition carrier) {
    return JSON.writeValueAsBytes(CatalogTypes.STORED_CARRIER.write(carrier));
  }

  static CarrierDefinition readCarrier(byte[] stored) {
    return read(CatalogTypes.STORED_CARRIER, stored);
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
    type.fields().stream()
        .filter(Field::required)
        .forEach(field -> requireField(document, field.name()));
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
