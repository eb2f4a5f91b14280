package dev.reprise.lab.scenario;

import dev.reprise.policy.Policy;
import dev.reprise.policy.document.Checks;
import dev.reprise.policy.document.Codec;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The kinds of values that the fields of scenarios have. */
final class ScenarioCodecs {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final Duration MAX_DURATION = Duration.ofDays(365);
  private static final BigDecimal MAX_PER_SECOND = BigDecimal.valueOf(1_000_000_000);
  private static final String ZONE_FORM = "[1-9][0-9]{0,3}/[1-9][0-9]{0,3}";
  private static final Pattern ZONE_TEXT = Pattern.compile(ZONE_FORM);
  private static final String ZONE_RULE =
      "must be a text such as 1/3, the first of three, up to 1000";
  private static final int MAX_TEXT = 60;
  private static final String TEXT_RULE = "must be a text of 1 to 60 characters";

  /** The word for a bound that is none. */
  static final String UNLIMITED = "unlimited";

  /** A time of 0 to a year. */
  static final Codec<Duration> SPAN = span("time", true);

  /** A time of more than 0. */
  static final Codec<Duration> POSITIVE_SPAN = span("time, more than 0", false);

  /** A rate of more than 0. */
  static final Codec<Double> RATE =
      new Codec<>(
          "rate, more than 0",
          RateText.RULE,
          (checks, path, value) -> readRate(checks, path, value, false),
          perSecond -> JSON.stringNode(RateText.write(perSecond)),
          Codec.reference("#/$defs/rate"));

  /** A rate. */
  static final Codec<Double> RATE_OR_ZERO =
      new Codec<>(
          "rate",
          RateText.RULE,
          (checks, path, value) -> readRate(checks, path, value, true),
          RATE.writer(),
          RATE.schema());

  /** A number of 0 to 1. */
  static final Codec<Double> SHARE =
      new Codec<>(
          "number, 0 to 1",
          "must be between 0 and 1",
          Codec.number("", BigDecimal.ONE, JSON.objectNode()).reader(),
          JSON::numberNode,
          Codec.reference("#/$defs/share"));

  /** A text of 1 to 60 characters. */
  static final Codec<String> TEXT =
      new Codec<>(
          "text of 1 to 60 characters",
          TEXT_RULE,
          ScenarioCodecs::readText,
          JSON::stringNode,
          JSON.objectNode().put("type", "string").put("minLength", 1).put("maxLength", MAX_TEXT));

  /** A policy document or the name of a preset. */
  static final Codec<Policy> POLICY =
      new Codec<>(
          "policy document or name of a preset",
          ScenarioReader.POLICY_RULE,
          ScenarioReader::policy,
          ScenarioDocuments::writePolicy,
          Codec.reference("#/$defs/policy"));

  /** A share of the clients, such as 1/3. */
  static final Codec<Failure.Zone> ZONE =
      new Codec<>(
          "text such as 1/3",
          ZONE_RULE,
          ScenarioCodecs::readZone,
          zone -> JSON.stringNode((zone.index() + 1) + "/" + zone.zones()),
          JSON.objectNode().put("type", "string").put("pattern", "^" + ZONE_FORM + "$"));

  /** A whole number, or none for the largest one. */
  static final Codec<Integer> BOUND = bound();

  private ScenarioCodecs() {}

  /** Returns the values that have one of a few words. */
  static <V> Codec<V> words(Map<String, V> words) {
    String rule = "must be one of " + String.join(", ", words.keySet());
    ObjectNode schema = JSON.objectNode();
    ArrayNode names = schema.putArray("enum");
    words.keySet().forEach(names::add);
    return new Codec<>(
        String.join(" or ", words.keySet()),
        rule,
        (checks, path, value) -> {
          V chosen = value.isString() ? words.get(value.stringValue()) : null;
          return chosen == null ? Codec.refuse(checks, path, value, rule) : chosen;
        },
        value ->
            JSON.stringNode(
                words.entrySet().stream()
                    .filter(word -> word.getValue().equals(value))
                    .map(Map.Entry::getKey)
                    .findFirst()
                    .orElseThrow()),
        schema);
  }

  private static Codec<Duration> span(String type, boolean mayBeZero) {
    return new Codec<>(
        type,
        SpanText.RULE,
        (checks, path, value) -> readSpan(checks, path, value, mayBeZero),
        span -> JSON.stringNode(SpanText.write(span)),
        Codec.reference("#/$defs/span"));
  }

  private static @Nullable Duration readSpan(
      Checks checks, String path, JsonNode value, boolean mayBeZero) {
    Duration span = value.isString() ? SpanText.read(value.stringValue()) : null;
    if (span == null) {
      return Codec.refuse(checks, path, value, SpanText.RULE);
    }
    if (span.isNegative() || span.compareTo(MAX_DURATION) > 0) {
      return Codec.refuse(checks, path, value, "must be between 0 and 365 days");
    }
    return span.isZero() && !mayBeZero
        ? Codec.refuse(checks, path, value, "must be more than 0")
        : span;
  }

  private static @Nullable Double readRate(
      Checks checks, String path, JsonNode value, boolean mayBeZero) {
    OptionalDouble rate =
        value.isString() ? RateText.read(value.stringValue()) : OptionalDouble.empty();
    if (rate.isEmpty()) {
      return Codec.refuse(checks, path, value, RateText.RULE);
    }
    double perSecond = rate.getAsDouble();
    if (perSecond > MAX_PER_SECOND.doubleValue()) {
      return Codec.refuse(checks, path, value, "must be at most " + MAX_PER_SECOND + "/s");
    }
    return perSecond == 0 && !mayBeZero
        ? Codec.refuse(checks, path, value, "must be more than 0")
        : Double.valueOf(perSecond);
  }

  private static @Nullable String readText(Checks checks, String path, JsonNode value) {
    return !value.isString() || value.stringValue().isEmpty() || Fields.length(value) > MAX_TEXT
        ? Codec.refuse(checks, path, value, TEXT_RULE)
        : value.stringValue();
  }

  private static Failure.@Nullable Zone readZone(Checks checks, String path, JsonNode value) {
    String text = value.isString() ? value.stringValue() : "";
    int slash = text.indexOf('/');
    boolean formed = ZONE_TEXT.matcher(text).matches();
    int index = formed ? Integer.parseInt(text.substring(0, slash)) : 0;
    int zones = formed ? Integer.parseInt(text.substring(slash + 1)) : 0;
    return index < 1 || index > zones || zones > 1000
        ? Codec.refuse(checks, path, value, ZONE_RULE)
        : new Failure.Zone(index - 1, zones);
  }

  private static Codec<Integer> bound() {
    Codec<Integer> count = Codec.between(0, Integer.MAX_VALUE - 1);
    String rule = "must be a whole number, or " + UNLIMITED;
    ObjectNode schema = JSON.objectNode();
    schema.putArray("anyOf").add(count.schema()).addObject().put("const", UNLIMITED);
    return new Codec<>(
        "whole number, or `" + UNLIMITED + "`",
        rule,
        (checks, path, value) -> {
          if (value.isString() && value.stringValue().equals(UNLIMITED)) {
            return Integer.MAX_VALUE;
          }
          return Checks.isWhole(value)
              ? count.reader().read(checks, path, value)
              : Codec.refuse(checks, path, value, rule);
        },
        bound -> bound == Integer.MAX_VALUE ? JSON.stringNode(UNLIMITED) : JSON.numberNode(bound),
        schema);
  }
}
