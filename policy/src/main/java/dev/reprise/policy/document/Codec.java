package dev.reprise.policy.document;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads and writes one kind of value of a document, and describes it.
 *
 * @param type its name in the tables of reference
 * @param rule the rule that is told of a field that is missing
 * @param reader reads a value
 * @param writer writes a value
 * @param schema its JSON Schema, without the description of a single field
 */
public record Codec<V>(
    String type, String rule, Reader<V> reader, Function<V, JsonNode> writer, ObjectNode schema) {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private static final String FLAG_RULE = "must be true or false";

  /** Reads a value of a document. */
  public interface Reader<V> {
    /** Returns the value; null after a complaint, for a value that breaks a rule. */
    @Nullable V read(Checks checks, String path, JsonNode value);
  }

  /** A text with its unit, such as {@code 250ms} or {@code PT10S}. */
  public static final Codec<Duration> DURATION =
      new Codec<>(
          "duration",
          Checks.DURATION_RULE,
          Checks::duration,
          delay -> JSON.stringNode(DurationText.exact(delay)),
          reference("#/$defs/duration"));

  /** A duration of more than 0. */
  public static final Codec<Duration> TIME =
      new Codec<>(
          "duration, more than 0",
          Checks.DURATION_RULE,
          Codec::readTime,
          DURATION.writer,
          DURATION.schema);

  /** True or false. */
  public static final Codec<Boolean> FLAG =
      new Codec<>(
          "true or false",
          FLAG_RULE,
          Codec::readFlag,
          JSON::booleanNode,
          JSON.objectNode().put("type", "boolean"));

  /** Returns the whole numbers of a range whose upper bound is one that nobody reaches. */
  public static Codec<Integer> atLeast(int lowest) {
    return whole(lowest, Integer.MAX_VALUE, "must be at least " + lowest, "at least " + lowest);
  }

  /** Returns the whole numbers of a range; both bounds are allowed. */
  public static Codec<Integer> between(int lowest, int highest) {
    return whole(
        lowest,
        highest,
        "must be between " + lowest + " and " + highest,
        lowest + " to " + highest);
  }

  private static Codec<Integer> whole(int lowest, int highest, String rule, String range) {
    return new Codec<>(
        "whole number, " + range,
        rule,
        (checks, path, value) -> checks.whole(path, value, lowest, highest, rule),
        JSON::numberNode,
        JSON.objectNode().put("type", "integer").put("minimum", lowest).put("maximum", highest));
  }

  /**
   * Returns the numbers from 0 to a bound.
   *
   * @param type the range in words, for the tables of reference
   * @param schema the range as a schema, which may be narrower by what the value that is made of
   *     the field demands
   */
  public static Codec<Double> number(String type, BigDecimal highest, ObjectNode schema) {
    return new Codec<>(
        type,
        "must be a number between 0 and " + highest.toPlainString(),
        (checks, path, value) -> {
          BigDecimal number = checks.decimal(path, value, BigDecimal.ZERO, highest);
          return number == null ? null : number.doubleValue();
        },
        JSON::numberNode,
        schema);
  }

  /** Returns the constants of an enum under the names that documents use. */
  public static <V extends Enum<V>> Codec<V> oneOf(
      String rule, V[] constants, Function<V, String> wireName) {
    Map<String, V> named = new LinkedHashMap<>();
    Arrays.stream(constants).forEach(constant -> named.put(wireName.apply(constant), constant));
    ObjectNode schema = JSON.objectNode();
    ArrayNode names = schema.putArray("enum");
    named.keySet().forEach(names::add);
    return new Codec<>(
        orList(List.copyOf(named.keySet())),
        rule,
        (checks, path, value) -> {
          V constant = value.isString() ? named.get(value.stringValue()) : null;
          return constant == null ? refuse(checks, path, value, rule) : constant;
        },
        constant -> JSON.stringNode(wireName.apply(constant)),
        schema);
  }

  /** Returns the objects that are described by their fields. */
  public static <V> Codec<V> object(String type, String rule, ObjectType<V> described) {
    return new Codec<>(
        type,
        rule,
        (checks, path, value) -> {
          if (!value.isObject()) {
            return refuse(checks, path, value, rule);
          }
          checks.rejectUnknown(path, value, described.names());
          return described.read(checks, path, value);
        },
        described::write,
        described.schema());
  }

  /** Returns the same codec with another schema. */
  public Codec<V> withSchema(ObjectNode other) {
    return new Codec<>(type, rule, reader, writer, other);
  }

  /** Returns a schema that refers to another one. */
  public static ObjectNode reference(String target) {
    return JSON.objectNode().put("$ref", target);
  }

  /** Complains about a value; returns null, which a reader then returns. */
  @SuppressWarnings("TypeParameterUnusedInFormals") // Null is a value of every type.
  public static <V> @Nullable V refuse(Checks checks, String path, JsonNode value, String rule) {
    checks.complain(path, value, rule);
    return null;
  }

  private static @Nullable Duration readTime(Checks checks, String path, JsonNode value) {
    Duration time = checks.duration(path, value);
    return time != null && time.isZero() ? refuse(checks, path, value, DurationText.RULE) : time;
  }

  private static @Nullable Boolean readFlag(Checks checks, String path, JsonNode value) {
    return value.isBoolean()
        ? Boolean.valueOf(value.booleanValue())
        : refuse(checks, path, value, FLAG_RULE);
  }

  private static String orList(List<String> names) {
    int last = names.size() - 1;
    return String.join(", ", names.subList(0, last)) + " or " + names.get(last);
  }
}
