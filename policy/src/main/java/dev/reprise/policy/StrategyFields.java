package dev.reprise.policy;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.retry.Hedging;
import dev.reprise.policy.backoff.BackoffReader;
import dev.reprise.policy.backoff.BackoffWriter;
import dev.reprise.policy.document.Checks;
import dev.reprise.policy.document.Codec;
import dev.reprise.policy.document.Field;
import dev.reprise.policy.document.ObjectType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The fields of a document of the general format. */
final class StrategyFields {
  static final String PRESET = "preset";
  private static final String UNLIMITED = "unlimited";

  private static final StrategyPolicy STANDARD = Presets.DEFAULT;

  static final Field<StrategyPolicy, StrategyKind> STRATEGY =
      new Field<>(
          "strategy",
          "What decides: standard has bounded attempts, delays and a budget; adaptive is the same"
              + " and sends no faster than the other side can take; none never retries.",
          Codec.oneOf(
              "must be standard, adaptive or none", StrategyKind.values(), StrategyKind::wireName),
          false,
          null,
          StrategyPolicy::strategy);

  static final Field<StrategyPolicy, Integer> MAX_ATTEMPTS =
      new Field<>(
          "maxAttempts",
          "How many attempts a call may make, the first one counted.",
          attempts(),
          false,
          STANDARD.maxAttempts(),
          StrategyPolicy::maxAttempts);

  static final Field<StrategyPolicy, Backoff> BACKOFF =
      new Field<>(
          "backoff", "The delays of retries.", backoffs(), false, null, StrategyPolicy::backoff);

  static final Field<StrategyPolicy, Backoff> THROTTLE_BACKOFF =
      new Field<>(
          "throttleBackoff",
          "The delays of retries after a throttle; those of backoff where only that is given.",
          backoffs(),
          false,
          null,
          StrategyFields::ownThrottleBackoff);

  static final Field<StrategyPolicy, BudgetPolicy> BUDGET =
      new Field<>(
          "budget",
          "The budget that pays for retries. First attempts are never charged.",
          BudgetType.CODEC,
          false,
          null,
          StrategyPolicy::budget);

  static final Field<StrategyPolicy, Duration> HINT_CEILING =
      new Field<>(
          "hintCeiling",
          "The longest wait that the other side may ask for; a longer one ends the call.",
          Codec.DURATION,
          false,
          STANDARD.hintCeiling(),
          StrategyPolicy::hintCeiling);

  static final Field<StrategyPolicy, Boolean> CLAMPS_HINTS =
      new Field<>(
          "clampsHints",
          "Whether a hint lengthens a delay by no more than the ceiling instead, and never ends a"
              + " call.",
          Codec.FLAG,
          false,
          STANDARD.clampsHints(),
          StrategyPolicy::clampsHints);

  static final Field<StrategyPolicy, Boolean> DELAYS_LONG_POLLS =
      new Field<>(
          "delaysLongPolls",
          "Whether a long poll that the budget does not retry waits all the same before it fails.",
          Codec.FLAG,
          false,
          STANDARD.delaysLongPolls(),
          StrategyPolicy::delaysLongPolls);

  static final Field<CallSettings, Duration> DEADLINE =
      new Field<>(
          "deadline",
          "How long a call may take with all attempts and waits; more than 0.",
          Codec.TIME,
          false,
          null,
          CallSettings::deadline);

  static final Field<CallSettings, Duration> ATTEMPT_TIMEOUT =
      new Field<>(
          "attemptTimeout",
          "How long one attempt may take; more than 0.",
          Codec.TIME,
          false,
          null,
          CallSettings::attemptTimeout);

  static final ObjectType<Hedging> HEDGES = hedges();

  static final Field<CallSettings, Hedging> HEDGING =
      new Field<>(
          "hedging",
          "When attempts are started beside one that is slow; needs idempotent.",
          Codec.object("object", "must be an object with a delay", HEDGES),
          false,
          null,
          CallSettings::hedging);

  static final Field<CallSettings, Boolean> IDEMPOTENT =
      new Field<>(
          "idempotent",
          "Whether the operation may be repeated although it may have taken effect.",
          Codec.FLAG,
          false,
          CallSettings.NONE.idempotent(),
          CallSettings::idempotent);

  /** The fields of the strategy that make no sense where there are no retries. */
  static final List<Field<StrategyPolicy, ?>> RETRIES =
      List.of(
          MAX_ATTEMPTS,
          BACKOFF,
          THROTTLE_BACKOFF,
          BUDGET,
          HINT_CEILING,
          CLAMPS_HINTS,
          DELAYS_LONG_POLLS);

  /** The fields that tell of each call. */
  static final List<Field<CallSettings, ?>> CALLS =
      List.of(DEADLINE, ATTEMPT_TIMEOUT, HEDGING, IDEMPOTENT);

  /** The names of all fields but {@link #PRESET}, which both formats have. */
  static final List<String> NAMES = all().map(Field::name).toList();

  /** The names of the fields that make no sense where there are no retries. */
  static final List<String> NAMES_OF_RETRIES = namesOfRetries();

  private StrategyFields() {}

  /** Returns all fields but {@link #PRESET}, in their order. */
  static Stream<Field<?, ?>> all() {
    return Stream.of(Stream.of(STRATEGY), RETRIES.stream(), CALLS.stream()).flatMap(each -> each);
  }

  /** Writes a policy, every field that it has. */
  static ObjectNode write(StrategyPolicy policy) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    STRATEGY.write(policy, node);
    if (policy.strategy() != StrategyKind.NONE) {
      RETRIES.forEach(field -> field.write(policy, node));
    }
    CALLS.forEach(field -> field.write(policy.calls(), node));
    return node;
  }

  private static List<String> namesOfRetries() {
    List<String> names = new ArrayList<>(RETRIES.stream().map(Field::name).toList());
    names.add(HEDGING.name());
    return List.copyOf(names);
  }

  private static ObjectType<Hedging> hedges() {
    var type = ObjectType.of(Hedging.class, "");
    var delay =
        type.required(
            "delay",
            Codec.DURATION,
            Hedging::delay,
            "How long an attempt may take before a hedge is started; more than 0.");
    var count =
        type.optional(
            "maxHedges",
            Codec.atLeast(1),
            1,
            Hedging::maxHedges,
            "How many hedges may run beside one attempt.");
    return type.makes(values -> new Hedging(values.get(delay), values.get(count)));
  }

  private static @Nullable Backoff ownThrottleBackoff(StrategyPolicy policy) {
    return policy.throttleBackoff().equals(policy.backoff()) ? null : policy.throttleBackoff();
  }

  private static Codec<Backoff> backoffs() {
    return new Codec<>(
        "object with a type",
        "must be an object with a type",
        (checks, path, value) -> new BackoffReader(checks).read(path, value),
        BackoffWriter::write,
        Codec.reference("#/$defs/backoff"));
  }

  private static Codec<Integer> attempts() {
    int most = Policy.UNLIMITED - 1;
    Codec<Integer> bounded = Codec.between(1, most);
    ObjectNode schema = JsonNodeFactory.instance.objectNode();
    schema.putArray("anyOf").add(bounded.schema()).addObject().put("const", UNLIMITED);
    return new Codec<>(
        "whole number of at least 1, or `unlimited`",
        "must be a whole number, or unlimited",
        (checks, path, value) -> readAttempts(checks, path, value, most),
        attempts ->
            attempts == Policy.UNLIMITED
                ? JsonNodeFactory.instance.stringNode(UNLIMITED)
                : JsonNodeFactory.instance.numberNode(attempts),
        schema);
  }

  private static @Nullable Integer readAttempts(
      Checks checks, String path, JsonNode value, int most) {
    if (value.isString() && value.stringValue().equals(UNLIMITED)) {
      return Policy.UNLIMITED;
    }
    return Checks.isWhole(value)
        ? checks.whole(path, value, 1, most, "must be between 1 and " + most + ", or unlimited")
        : Codec.refuse(checks, path, value, "must be a whole number, or unlimited");
  }
}
