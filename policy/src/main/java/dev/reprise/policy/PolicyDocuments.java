package dev.reprise.policy;

import dev.reprise.policy.document.Checks;
import dev.reprise.policy.document.FieldNames;
import dev.reprise.policy.document.Quoted;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/**
 * Reads and writes policy documents, of two formats.
 *
 * <p>The general format says everything that a strategy and what runs it can be told: {@code
 * {"strategy": "standard", "maxAttempts": 3, "backoff": {…}, "budget": {…}, "deadline": "10s"}}. A
 * {@code preset} gives all that a document does not say; without one it is {@code reprise-default}.
 * See {@link #policySchema()} for all fields.
 *
 * <p>The notification format is that of Amazon SNS. A topic's document is {@code
 * {"healthyRetryPolicy": {…}, "throttlePolicy": {…}, "disableSubscriptionOverrides": false}}, or
 * the same inside {@code {"http": {…}}} with the first two named {@code defaultHealthyRetryPolicy}
 * and {@code defaultThrottlePolicy}, as SNS writes it. A subscription's document has the first two
 * only. What SNS has besides is accepted and means nothing: {@link #ignored(JsonNode)}. The name of
 * a preset is accepted in place of a document and of a {@code healthyRetryPolicy}, and so is {@code
 * {"preset": name}}.
 *
 * <p>All readers throw {@link PolicyException}, which names every broken rule of a document at
 * once. Nothing is coerced: unknown fields, duplicate fields, fractions, and numbers in quotes are
 * errors.
 */
public final class PolicyDocuments {
  private static final Pattern BARE_NAME = Pattern.compile("[A-Za-z][A-Za-z0-9_-]*");
  private static final Set<String> JSON_WORDS = Set.of("true", "false", "null", "NaN", "Infinity");

  private static final List<String> NOTIFICATION_FIELDS =
      Stream.concat(DocumentReader.RETRY_FIELDS.stream(), DocumentReader.SECTION_FIELDS.stream())
          .toList();

  private PolicyDocuments() {}

  /** Reads a topic's document, or the bare name of a preset. */
  public static NotificationPolicy readTopic(String text) {
    return readTopic(parse(text));
  }

  /** Reads a topic's document that stands inside a larger one. */
  public static NotificationPolicy readTopic(JsonNode document) {
    return new DocumentReader().topic(document);
  }

  /** Reads a subscription's document, or the bare name of a preset. */
  public static NotificationPolicy readSubscription(String text) {
    return readSubscription(parse(text));
  }

  /** Reads a subscription's document that stands inside a larger one. */
  public static NotificationPolicy readSubscription(JsonNode document) {
    return new DocumentReader().subscription(document);
  }

  /**
   * Returns what a document of the notification format says without effect here, a sentence for
   * each: fields of SNS that are read, so that its documents need no change, and mean nothing.
   */
  public static List<String> ignored(JsonNode document) {
    return DocumentReader.ignored(document);
  }

  /** Returns the same of a text, which {@link #read(String)} accepts. */
  public static List<String> ignored(String text) {
    return ignored(parse(text));
  }

  /**
   * Reads a topic's or a subscription's policy as {@link #writeStored} has written it, perhaps in
   * another version. It was accepted once, so the ranges of documents do not count, and fields that
   * this version does not know are passed over.
   *
   * @throws PolicyException when it cannot be understood
   */
  public static NotificationPolicy readStored(JsonNode document) {
    return new StoredReader().read(document);
  }

  /**
   * Reads a policy of either format: a document of the general format, a topic's, a subscription's,
   * the fields of a {@code healthyRetryPolicy} without anything around them, or the name of a
   * preset.
   */
  public static Policy read(String text) {
    return read(parse(text));
  }

  /** Reads a policy of either format that stands inside a larger document. */
  public static Policy read(JsonNode document) {
    if (document.isString()) {
      String name = document.stringValue();
      if (!Presets.names().contains(name)) {
        throw new PolicyException("policy", Quoted.text(name), Presets.unknownNameRule());
      }
      return Presets.policy(name);
    }
    rejectBothFormats(document);
    return isGeneral(document)
        ? new StrategyReader(document).read()
        : new DocumentReader().topicOrRetryFields(document);
  }

  /**
   * Returns the policy's document, in its own format, which {@link #read(JsonNode)} reads back to
   * an equal policy. Every field is written out.
   *
   * @throws PolicyException when a notification policy is beyond what documents may hold, and no
   *     preset
   */
  public static ObjectNode write(Policy policy) {
    return policy instanceof StrategyPolicy strategy
        ? StrategyFields.write(strategy)
        : writeTopic((NotificationPolicy) policy);
  }

  /** Returns all seven fields of a retry policy, even those of one that documents may not hold. */
  public static ObjectNode write(HealthyRetryPolicy policy) {
    return DocumentWriter.retryFields(policy);
  }

  /**
   * Returns the topic's document, which {@link #readTopic(JsonNode)} reads back to an equal policy.
   *
   * @throws PolicyException when the retry policy is beyond what documents may hold, and no preset
   */
  public static ObjectNode writeTopic(NotificationPolicy policy) {
    return DocumentWriter.topic(policy);
  }

  /**
   * Returns the subscription's document, which {@link #readSubscription(JsonNode)} reads back to an
   * equal policy.
   *
   * @throws PolicyException when the retry policy is beyond what documents may hold, and no preset,
   *     or when {@code disableSubscriptionOverrides} is set
   */
  public static ObjectNode writeSubscription(NotificationPolicy policy) {
    return DocumentWriter.subscription(policy);
  }

  /**
   * Returns the document of a topic's or a subscription's policy, even of one that documents may
   * not hold today. {@link #readStored} reads it back to an equal policy.
   */
  public static ObjectNode writeStored(NotificationPolicy policy) {
    return DocumentWriter.stored(policy);
  }

  /**
   * Returns the JSON Schema (2020-12) of whatever {@link #read(String)} reads. Of what that refuses
   * it cannot see that delays, counts or the numbers of a budget contradict each other.
   */
  public static String policySchema() {
    ObjectNode schema = (ObjectNode) parse(resource("policy.schema.json"));
    // One text that needs no other: a schema may carry those that it refers to.
    ((ObjectNode) schema.get("$defs")).set("notificationPolicy", parse(schema()));
    return schema.toPrettyString();
  }

  /**
   * Returns the JSON Schema (2020-12) of topics' and subscriptions' documents. It accepts whatever
   * the readers accept; of what they refuse it cannot see that delays or counts contradict each
   * other, or that a field is given twice.
   */
  public static String schema() {
    return resource("notification-policy.schema.json");
  }

  private static String resource(String name) {
    try (InputStream resource = PolicyDocuments.class.getResourceAsStream(name)) {
      if (resource == null) {
        throw new IllegalStateException(name + " is not in the jar");
      }
      return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void rejectBothFormats(JsonNode document) {
    Optional<String> ofNotifications =
        document
            .propertyStream()
            .map(Map.Entry::getKey)
            .filter(NOTIFICATION_FIELDS::contains)
            .findFirst();
    if (ofNotifications.isEmpty()) {
      return;
    }
    Checks checks = new Checks();
    for (String field : StrategyFields.NAMES) {
      if (document.has(field)) {
        checks.complain(
            field,
            document.get(field),
            "must not stand beside "
                + ofNotifications.get()
                + ", which is of the notification format");
      }
    }
    PolicyException.throwIfAny(checks);
  }

  /**
   * Tells the formats apart by their fields. An empty document is a topic's, which says nothing;
   * one that has no field of either is judged by what was probably meant.
   */
  private static boolean isGeneral(JsonNode document) {
    if (!document.isObject() || has(document, NOTIFICATION_FIELDS::contains)) {
      return false;
    }
    JsonNode preset = document.get(StrategyFields.PRESET);
    if (has(document, StrategyFields.NAMES::contains)
        || (preset != null && !isNotificationPreset(preset))) {
      return true;
    }
    return preset == null
        && !document.isEmpty()
        && !has(document, name -> FieldNames.isNear(name, NOTIFICATION_FIELDS));
  }

  private static boolean has(JsonNode document, Predicate<String> name) {
    return document.properties().stream().anyMatch(field -> name.test(field.getKey()));
  }

  private static boolean isNotificationPreset(JsonNode preset) {
    return preset.isString() && Presets.notificationNames().contains(preset.stringValue());
  }

  private static JsonNode parse(String text) {
    String bare = text.strip();
    if (BARE_NAME.matcher(bare).matches() && !JSON_WORDS.contains(bare)) {
      return StringNode.valueOf(bare);
    }
    if (bare.isEmpty()) {
      throw new PolicyException("policy", "empty", "must be JSON or the name of a preset");
    }
    Checks checks = new Checks();
    JsonNode document = checks.json("policy", text);
    PolicyException.throwIfAny(checks);
    return Objects.requireNonNull(document);
  }
}
