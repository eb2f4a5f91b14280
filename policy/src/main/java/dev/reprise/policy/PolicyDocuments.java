package dev.reprise.policy;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads and writes policy documents in the notification format of seed 004.
 *
 * <p>A topic's document is {@code {"healthyRetryPolicy": {…}, "throttlePolicy": {…},
 * "disableSubscriptionOverrides": false}}, or the same inside {@code {"http": {…}}} with the first
 * two named {@code defaultHealthyRetryPolicy} and {@code defaultThrottlePolicy}, as SNS writes it.
 * A subscription's document has the first two only. The name of a preset is accepted in place of a
 * document and of a {@code healthyRetryPolicy}, and so is {@code {"preset": name}}.
 *
 * <p>All readers throw {@link PolicyException}, which names every broken rule of a document at
 * once. Nothing is coerced: unknown fields, duplicate fields, fractions, and numbers in quotes are
 * errors.
 */
public final class PolicyDocuments {
  private static final JsonMapper STRICT =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .build();

  private static final Pattern BARE_NAME = Pattern.compile("[A-Za-z][A-Za-z0-9_-]*");
  private static final Set<String> JSON_WORDS = Set.of("true", "false", "null", "NaN", "Infinity");

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
   * Reads any of the shapes: a topic's, a subscription's, the name of a preset, or the fields of a
   * {@code healthyRetryPolicy} without anything around them.
   */
  public static NotificationPolicy readAnyShape(String text) {
    return readAnyShape(parse(text));
  }

  /** Reads any of the shapes, inside a larger document. */
  public static NotificationPolicy readAnyShape(JsonNode document) {
    return new DocumentReader().anyShape(document);
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
   * Returns the JSON Schema (2020-12) of both documents. It accepts whatever the readers accept; of
   * what they refuse it cannot see that delays or counts contradict each other, or that a field is
   * given twice.
   */
  public static String schema() {
    try (InputStream resource =
        PolicyDocuments.class.getResourceAsStream("notification-policy.schema.json")) {
      if (resource == null) {
        throw new IllegalStateException("notification-policy.schema.json is not in the jar");
      }
      return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static JsonNode parse(String text) {
    String bare = text.strip();
    if (BARE_NAME.matcher(bare).matches() && !JSON_WORDS.contains(bare)) {
      return STRICT.getNodeFactory().stringNode(bare);
    }
    if (bare.isEmpty()) {
      throw new PolicyException("policy", "empty", "must be JSON or the name of a preset");
    }
    try {
      return STRICT.readTree(text);
    } catch (JacksonException e) {
      throw new PolicyException(
          "policy", "not readable", where(e) + Quoted.line(e.getOriginalMessage()));
    }
  }

  private static String where(JacksonException e) {
    return e.getLocation() == null
        ? ""
        : "line "
            + e.getLocation().getLineNr()
            + ", column "
            + e.getLocation().getColumnNr()
            + ": ";
  }
}
