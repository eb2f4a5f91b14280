package dev.reprise.delivery.catalog;

import dev.reprise.delivery.AttributeFilter;
import dev.reprise.policy.DurationText;
import dev.reprise.policy.NotificationPolicy;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.policy.PolicyException;
import dev.reprise.policy.Violation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Topics and subscriptions as JSON: the one form for the store and for the API. */
public final class CatalogDocuments {
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).build();
  private static final List<String> SETTINGS =
      List.of("endpoint", "format", "policy", "filter", "deadLetters", "lifetime", "maxInFlight");

  private CatalogDocuments() {}

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
    return new SettingsReader(document).read(base);
  }

  private static final class SettingsReader {
    private final JsonNode document;
    private final List<Violation> violations = new ArrayList<>();

    SettingsReader(JsonNode document) {
      this.document = document;
    }

    SubscriptionSettings read(@Nullable SubscriptionSettings base) {
      SubscriptionSettings defaults = SubscriptionSettings.of("");
      SubscriptionSettings from = base == null ? defaults : base;
      for (String name : document.propertyNames()) {
        if (!SETTINGS.contains(name)) {
          wrong(
              name,
              document.get(name),
              "is not a field of a subscription; fields are " + String.join(", ", SETTINGS));
        }
      }
      JsonNode endpoint = document.get("endpoint");
      if (endpoint == null ? base == null : !endpoint.isString()) {
        wrong("endpoint", endpoint, "must be a URL");
      }
      SubscriptionSettings settings =
          new SubscriptionSettings(
              endpoint != null && endpoint.isString() ? endpoint.stringValue() : from.endpoint(),
              field("format", from.format(), defaults.format(), this::format),
              optional("policy", from.policy(), PolicyDocuments::readSubscription),
              field("filter", from.filter(), defaults.filter(), AttributeFilter::of),
              field("deadLetters", from.deadLetters(), defaults.deadLetters(), this::deadLetters),
              optional("lifetime", from.lifetime(), this::lifetime),
              field("maxInFlight", from.maxInFlight(), defaults.maxInFlight(), this::maxInFlight));
      throwIfAny();
      return settings;
    }

    void throwIfAny() {
      if (!violations.isEmpty()) {
        throw new InvalidRequestException(violations);
      }
    }

    private <T> T field(String name, T unchanged, T reset, Function<JsonNode, T> read) {
      T value = optional(name, unchanged, read);
      return value == null ? reset : value;
    }

    private <T> @Nullable T optional(
        String name, @Nullable T unchanged, Function<JsonNode, T> read) {
      JsonNode node = document.get(name);
      if (node == null) {
        return unchanged;
      }
      if (node.isNull()) {
        return null;
      }
      try {
        return read.apply(node);
      } catch (PolicyException e) {
        e.violations().forEach(v -> add(name + "." + v.path(), v.value(), v.rule()));
      } catch (InvalidRequestException e) {
        violations.addAll(e.violations());
      } catch (IllegalArgumentException e) {
        add(name, node.toString(), String.valueOf(e.getMessage()));
      }
      return null;
    }

    private void add(String field, String value, String rule) {
      violations.add(new Violation(field, value, rule));
    }

    private BodyFormat format(JsonNode node) {
      for (BodyFormat format : BodyFormat.values()) {
        if (node.isString() && node.stringValue().equals(format.wireName())) {
          return format;
        }
      }
      throw new InvalidRequestException("format", node.toString(), "must be envelope or raw");
    }

    private DeadLetters deadLetters(JsonNode node) {
      for (DeadLetters choice : DeadLetters.values()) {
        if (node.isString() && node.stringValue().equals(choice.wireName())) {
          return choice;
        }
      }
      throw new InvalidRequestException("deadLetters", node.toString(), "must be keep or discard");
    }

    private Duration lifetime(JsonNode node) {
      Duration lifetime = node.isString() ? DurationText.read(node.stringValue()) : null;
      if (lifetime == null
          || lifetime.compareTo(Duration.ofSeconds(1)) < 0
          || lifetime.compareTo(Duration.ofDays(3650)) > 0) {
        throw new InvalidRequestException(
            "lifetime",
            node.toString(),
            "must be a duration from 1s to ten years, such as 1h or P3D");
      }
      return lifetime;
    }

    private Duration storedLifetime(JsonNode node) {
      Duration lifetime = node.isString() ? DurationText.read(node.stringValue()) : null;
      if (lifetime == null) {
        throw new InvalidRequestException("lifetime", node.toString(), "must be a duration");
      }
      return lifetime;
    }

    private int maxInFlight(JsonNode node) {
      boolean fits =
          node.isIntegralNumber()
              && node.canConvertToInt()
              && node.intValue() >= 1
              && node.intValue() <= SubscriptionSettings.MAX_IN_FLIGHT;
      if (!fits) {
        throw new InvalidRequestException(
            "maxInFlight",
            node.toString(),
            "must be an integer from 1 to " + SubscriptionSettings.MAX_IN_FLIGHT);
      }
      return node.intValue();
    }

    private void wrong(String field, @Nullable JsonNode value, String rule) {
      add(field, value == null ? "absent" : value.toString(), rule);
    }
  }

  /** Writes settings as the API shows them. */
  public static ObjectNode writeSettings(SubscriptionSettings settings) {
    ObjectNode document = JSON.createObjectNode();
    document.put("endpoint", settings.endpoint());
    document.put("format", settings.format().wireName());
    NotificationPolicy policy = settings.policy();
    if (policy != null) {
      ObjectNode written = PolicyDocuments.writeStored(policy);
      // That is the topic's business.
      written.remove("disableSubscriptionOverrides");
      document.set("policy", written);
    }
    if (!settings.filter().isAll()) {
      document.set("filter", settings.filter().document());
    }
    document.put("deadLetters", settings.deadLetters().wireName());
    Duration lifetime = settings.lifetime();
    if (lifetime != null) {
      document.put("lifetime", lifetime.toString());
    }
    document.put("maxInFlight", settings.maxInFlight());
    return document;
  }

  /**
   * Writes a topic for the store.
   *
   * @param before what is stored so far; null for a new topic. Its fields that this version does
   *     not know are kept
   */
  static byte[] write(Topic topic, byte @Nullable [] before) {
    ObjectNode document = stored(before);
    document.put("name", topic.name());
    document.put("createdAt", topic.createdAtMillis());
    JsonNode policy = document.get("policy");
    if (policy == null || !isSame(policy, topic.policy())) {
      document.set("policy", PolicyDocuments.writeStored(topic.policy()));
    }
    return JSON.writeValueAsBytes(document);
  }

  static Topic readTopic(byte[] stored) {
    JsonNode document = JSON.readTree(stored);
    return new Topic(
        required(document, "name").stringValue(),
        PolicyDocuments.readStored(required(document, "policy")),
        required(document, "createdAt").longValue());
  }

  /**
   * Writes a subscription for the store.
   *
   * @param before what is stored so far; null for a new subscription. Its fields that this version
   *     does not know are kept
   */
  static byte[] write(Subscription subscription, byte @Nullable [] before) {
    ObjectNode document = stored(before);
    document.put("number", subscription.number());
    document.put("topic", subscription.topic());
    document.put("createdAt", subscription.createdAtMillis());
    ObjectNode settings =
        document.get("settings") instanceof ObjectNode known
            ? known
            : document.putObject("settings");
    ObjectNode written = writeSettings(subscription.settings());
    JsonNode policyBefore = settings.get("policy");
    SETTINGS.forEach(settings::remove);
    settings.setAll(written);
    NotificationPolicy policy = subscription.settings().policy();
    if (policy != null && policyBefore != null && isSame(policyBefore, policy)) {
      settings.set("policy", policyBefore);
    }
    return JSON.writeValueAsBytes(document);
  }

  static Subscription readSubscription(byte[] stored) {
    JsonNode document = JSON.readTree(stored);
    return new Subscription(
        required(document, "number").longValue(),
        required(document, "topic").stringValue(),
        readStoredSettings(required(document, "settings")),
        required(document, "createdAt").longValue());
  }

  /** Today's ranges do not count: what is stored was accepted once. */
  private static SubscriptionSettings readStoredSettings(JsonNode document) {
    SettingsReader reader = new SettingsReader(document);
    SubscriptionSettings defaults = SubscriptionSettings.of("");
    SubscriptionSettings settings =
        new SubscriptionSettings(
            required(document, "endpoint").stringValue(),
            reader.field("format", defaults.format(), defaults.format(), reader::format),
            reader.optional("policy", null, PolicyDocuments::readStored),
            reader.field("filter", defaults.filter(), defaults.filter(), AttributeFilter::stored),
            reader.field(
                "deadLetters", defaults.deadLetters(), defaults.deadLetters(), reader::deadLetters),
            reader.optional("lifetime", null, reader::storedLifetime),
            reader.field(
                "maxInFlight", defaults.maxInFlight(), defaults.maxInFlight(), JsonNode::intValue));
    reader.throwIfAny();
    return settings;
  }

  private static ObjectNode stored(byte @Nullable [] before) {
    return before != null && JSON.readTree(before) instanceof ObjectNode known
        ? known
        : JSON.createObjectNode();
  }

  /** A policy that is the same stays as it stands: with what this version does not know of it. */
  private static boolean isSame(JsonNode stored, NotificationPolicy policy) {
    return PolicyDocuments.readStored(stored).equals(policy);
  }

  private static JsonNode required(JsonNode document, String field) {
    JsonNode value = document.get(field);
    if (value == null) {
      throw new InvalidRequestException(field, "absent", "must be there");
    }
    return value;
  }
}
