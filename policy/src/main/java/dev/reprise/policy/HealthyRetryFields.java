package dev.reprise.policy;

import dev.reprise.core.backoff.BackoffFunction;
import dev.reprise.policy.backoff.FunctionNames;
import dev.reprise.policy.document.Checks;
import dev.reprise.policy.document.Codec;
import dev.reprise.policy.document.DurationText;
import dev.reprise.policy.document.Field;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The fields of a retry policy of the notification format. */
final class HealthyRetryFields {
  /** The fields as documents may have them. */
  static final HealthyRetryFields OF_DOCUMENTS =
      new HealthyRetryFields(
          Codec.between(0, HealthyRetryPolicy.MAX_RETRIES),
          delays(HealthyRetryFields::readDelay, "0 s to 3600 s, in whole milliseconds"));

  /** The fields as they were stored: what was accepted once is not judged by today's ranges. */
  static final HealthyRetryFields STORED =
      new HealthyRetryFields(
          Codec.atLeast(0), delays(HealthyRetryFields::readStoredDelay, "a delay"));

  final Field<HealthyRetryPolicy, Integer> numRetries;
  final Field<HealthyRetryPolicy, Integer> numNoDelayRetries;
  final Field<HealthyRetryPolicy, Duration> minDelayTarget;
  final Field<HealthyRetryPolicy, Duration> maxDelayTarget;
  final Field<HealthyRetryPolicy, Integer> numMinDelayRetries;
  final Field<HealthyRetryPolicy, Integer> numMaxDelayRetries;
  final Field<HealthyRetryPolicy, BackoffFunction> backoffFunction;

  private HealthyRetryFields(Codec<Integer> total, Codec<Duration> delay) {
    HealthyRetryPolicy standard = HealthyRetryPolicy.DEFAULT;
    Codec<Integer> count = Codec.atLeast(0).withSchema(Codec.reference("#/$defs/count"));
    numRetries =
        field(
            "numRetries",
            "All retries together: those of the immediate, minimum delay, backoff and maximum delay"
                + " stages. Attempts are one more.",
            total,
            standard.numRetries(),
            HealthyRetryPolicy::numRetries);
    numNoDelayRetries =
        field(
            "numNoDelayRetries",
            "Retries of the immediate stage, the first one: without a delay.",
            count,
            standard.numNoDelayRetries(),
            HealthyRetryPolicy::numNoDelayRetries);
    minDelayTarget =
        field(
            "minDelayTarget",
            "The minimum delay, in seconds; at most maxDelayTarget.",
            delay,
            standard.minDelayTarget(),
            HealthyRetryPolicy::minDelayTarget);
    maxDelayTarget =
        field(
            "maxDelayTarget",
            "The maximum delay, in seconds; at least minDelayTarget.",
            delay,
            standard.maxDelayTarget(),
            HealthyRetryPolicy::maxDelayTarget);
    numMinDelayRetries =
        field(
            "numMinDelayRetries",
            "Retries of the minimum delay stage: each after minDelayTarget.",
            count,
            standard.numMinDelayRetries(),
            HealthyRetryPolicy::numMinDelayRetries);
    numMaxDelayRetries =
        field(
            "numMaxDelayRetries",
            "Retries of the maximum delay stage, the last one: each after maxDelayTarget.",
            count,
            standard.numMaxDelayRetries(),
            HealthyRetryPolicy::numMaxDelayRetries);
    backoffFunction =
        field(
            "backoffFunction",
            "How the delay grows from minDelayTarget to maxDelayTarget in the backoff stage, which"
                + " has the retries that the other stages leave.",
            FunctionNames.CODEC.withSchema(Codec.reference("#/$defs/backoffFunction")),
            standard.backoffFunction(),
            HealthyRetryPolicy::backoffFunction);
  }

  private static <V> Field<HealthyRetryPolicy, V> field(
      String name,
      String description,
      Codec<V> codec,
      V standard,
      Function<HealthyRetryPolicy, V> getter) {
    return new Field<>(name, description, codec, false, standard, getter);
  }

  /** Returns the fields in the order in which they are written. */
  List<Field<HealthyRetryPolicy, ?>> all() {
    return List.of(
        numRetries,
        numNoDelayRetries,
        minDelayTarget,
        maxDelayTarget,
        numMinDelayRetries,
        numMaxDelayRetries,
        backoffFunction);
  }

  /** Returns the names of the fields. */
  List<String> names() {
    return all().stream().map(Field::name).toList();
  }

  /** Writes all seven fields, whether or not a document could hold them. */
  ObjectNode write(HealthyRetryPolicy policy) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    all().forEach(field -> field.write(policy, node));
    return node;
  }

  private static Codec<Duration> delays(Codec.Reader<Duration> reader, String range) {
    return new Codec<>(
        "whole seconds or a duration, " + range,
        "must be a delay",
        reader,
        HealthyRetryFields::writeDelay,
        Codec.reference("#/$defs/delay"));
  }

  private static JsonNode writeDelay(Duration delay) {
    return DurationText.isWholeSeconds(delay)
        ? JsonNodeFactory.instance.numberNode(delay.toSeconds())
        : JsonNodeFactory.instance.stringNode(DurationText.write(delay));
  }

  private static @Nullable Duration readDelay(Checks checks, String path, JsonNode value) {
    Duration text = value.isString() ? DurationText.read(value.stringValue()) : null;
    if (text == null && !Checks.isWhole(value)) {
      return Codec.refuse(
          checks,
          path,
          value,
          "must be whole seconds as a number, or a text such as 250ms, 10s, 4m or PT10S");
    }
    Duration delay = text == null ? seconds(value.decimalValue().toBigIntegerExact()) : text;
    if (delay == null || delay.isNegative() || delay.compareTo(HealthyRetryPolicy.MAX_DELAY) > 0) {
      return Codec.refuse(
          checks,
          path,
          value,
          "must be between 0 and " + HealthyRetryPolicy.MAX_DELAY.toSeconds() + " seconds");
    }
    return delay.toNanosPart() % 1_000_000 == 0
        ? delay
        : Codec.refuse(checks, path, value, "must be a whole number of milliseconds");
  }

  private static @Nullable Duration readStoredDelay(Checks checks, String path, JsonNode value) {
    Duration delay =
        value.isIntegralNumber()
            ? seconds(value.bigIntegerValue())
            : value.isString() ? DurationText.read(value.stringValue()) : null;
    return delay == null ? Codec.refuse(checks, path, value, "must be a delay") : delay;
  }

  private static @Nullable Duration seconds(BigInteger seconds) {
    return DurationText.ofSeconds(seconds);
  }
}
