package dev.reprise.delivery.catalog;

import dev.reprise.delivery.AttributeFilter;
import dev.reprise.policy.NotificationPolicy;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.policy.PolicyException;
import dev.reprise.policy.document.Checks;
import dev.reprise.policy.document.Codec;
import dev.reprise.policy.document.DurationText;
import dev.reprise.policy.document.Violation;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The kinds of value that topics and subscriptions have. Their messages quote a value whole. */
final class CatalogCodecs {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  /** The rule that every field of a stored topic or subscription obeys. */
  static final String STORED_RULE = "must be there";

  /** The whole numbers of 64 bits, such as a time in milliseconds. */
  static final Codec<Long> LONG =
      simple(
          "whole number",
          "must be a whole number",
          value -> value.isIntegralNumber() && value.canConvertToLong() ? value.longValue() : null,
          JSON::numberNode,
          JSON.objectNode().put("type", "integer"));

  private CatalogCodecs() {}

  /** Returns the texts. */
  static Codec<String> text(String rule) {
    return simple(
        "text",
        rule,
        value -> value.isString() ? value.stringValue() : null,
        JSON::stringNode,
        JSON.objectNode().put("type", "string"));
  }

  /** Returns the constants of an enum under the names that documents use. */
  static <V extends Enum<V>> Codec<V> oneOf(V[] constants, Function<V, String> wireName) {
    ObjectNode schema = JSON.objectNode().put("type", "string");
    var names = schema.putArray("enum");
    Arrays.stream(constants).map(wireName).forEach(names::add);
    String list = String.join(" or ", Arrays.stream(constants).map(wireName).toList());
    return simple(
        list,
        "must be " + list,
        value ->
            Arrays.stream(constants)
                .filter(constant -> value.equals(JSON.stringNode(wireName.apply(constant))))
                .findFirst()
                .orElse(null),
        constant -> JSON.stringNode(wireName.apply(constant)),
        schema);
  }

  /** Returns the durations that fit. */
  static Codec<Duration> duration(String type, String rule, Predicate<Duration> fits) {
    return simple(
        type,
        rule,
        value -> {
          Duration duration = value.isString() ? DurationText.read(value.stringValue()) : null;
          return duration != null && fits.test(duration) ? duration : null;
        },
        duration -> JSON.stringNode(duration.toString()),
        JSON.objectNode().put("type", "string"));
  }

  /** Returns the integers of a range; both bounds are allowed. */
  static Codec<Integer> integer(int lowest, int highest, String rule) {
    return simple(
        "integer",
        rule,
        value ->
            value.isIntegralNumber()
                    && value.canConvertToInt()
                    && value.intValue() >= lowest
                    && value.intValue() <= highest
                ? value.intValue()
                : null,
        JSON::numberNode,
        JSON.objectNode().put("type", "integer").put("minimum", lowest).put("maximum", highest));
  }

  /**
   * Returns the policies that subscriptions have of their own.
   *
   * @param reader throws {@link PolicyException}
   */
  static Codec<NotificationPolicy> policy(Function<JsonNode, NotificationPolicy> reader) {
    return new Codec<>(
        "policy",
        "must be a policy",
        (checks, path, value) -> {
          try {
            return reader.apply(value);
          } catch (PolicyException e) {
            for (Violation each : e.violations()) {
              checks.add(new Violation(path + "." + each.path(), each.value(), each.rule()));
            }
            return null;
          }
        },
        CatalogCodecs::writePolicy,
        JSON.objectNode());
  }

  private static JsonNode writePolicy(NotificationPolicy policy) {
    ObjectNode written = PolicyDocuments.writeStored(policy);
    // Only a topic has this setting.
    written.remove("disableSubscriptionOverrides");
    return written;
  }

  /** Returns the parts that were stored, whose reader throws what is wrong with them. */
  static <V> Codec<V> stored(Function<JsonNode, V> reader, Function<V, JsonNode> writer) {
    return new Codec<>(
        "object",
        STORED_RULE,
        (checks, path, value) -> reader.apply(value),
        writer,
        JSON.objectNode());
  }

  /**
   * Returns the filters.
   *
   * @param reader throws {@link IllegalArgumentException}
   */
  static Codec<AttributeFilter> filter(Function<JsonNode, AttributeFilter> reader) {
    ObjectNode schema = JSON.objectNode().put("type", "object");
    schema.putObject("additionalProperties").put("type", "array").putObject("items");
    return new Codec<>(
        "filter",
        "must be a filter",
        (checks, path, value) -> {
          try {
            return reader.apply(value);
          } catch (IllegalArgumentException e) {
            return refuse(checks, path, value, String.valueOf(e.getMessage()));
          }
        },
        AttributeFilter::document,
        schema);
  }

  /** Returns a codec with one rule, which a value breaks of which the reader makes null. */
  private static <V> Codec<V> simple(
      String type,
      String rule,
      Function<JsonNode, @Nullable V> reader,
      Function<V, JsonNode> writer,
      ObjectNode schema) {
    return new Codec<>(
        type,
        rule,
        (checks, path, value) -> {
          V read = reader.apply(value);
          return read == null ? refuse(checks, path, value, rule) : read;
        },
        writer,
        schema);
  }

  @SuppressWarnings("TypeParameterUnusedInFormals") // Null is a value of every type.
  private static <V> @Nullable V refuse(Checks checks, String path, JsonNode value, String rule) {
    checks.add(new Violation(path, value.toString(), rule));
    return null;
  }
}
