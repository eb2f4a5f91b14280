package dev.reprise.policy.backoff;

import dev.reprise.core.backoff.AtCap;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.backoff.BackoffFunction;
import dev.reprise.core.backoff.DecorrelatedJitterBackoff;
import dev.reprise.core.backoff.ExponentialBackoff;
import dev.reprise.core.backoff.ExponentialBackoffWithJitter;
import dev.reprise.core.backoff.FixedBackoff;
import dev.reprise.core.backoff.LinearBackoff;
import dev.reprise.core.backoff.StagedBackoff;
import dev.reprise.core.backoff.TruncatedExponentialBackoff;
import dev.reprise.policy.document.Codec;
import dev.reprise.policy.document.Field;
import dev.reprise.policy.document.ObjectType;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The types of backoff that a document can name, and the fields of each. A formula that core gains
 * needs an entry here and nothing else: it is read, written and described by it.
 */
public enum BackoffType {
  NONE(none(), false, false),
  FIXED(fixed(), true, true),
  LINEAR(linear(), false, true),
  EXPONENTIAL(exponential(), false, true),
  EXPONENTIAL_WITH_JITTER(exponentialWithJitter(), false, false),
  TRUNCATED_EXPONENTIAL(truncatedExponential(), false, false),
  DECORRELATED_JITTER(decorrelatedJitter(), false, false),
  STAGED(staged(), true, true);

  public static final String TYPE = "type";
  public static final String CAP = "cap";
  public static final String JITTER = "jitter";
  static final String NO_JITTER = "none";
  static final String FULL = "full";
  static final String EQUAL = "equal";
  public static final String RETRIES = "retries";
  public static final String THEN = "then";

  @SuppressWarnings("ImmutableEnumChecker") // ObjectType is immutable, but has functions inside.
  private final ObjectType<? extends Backoff> formula;

  private final boolean takesCap;
  private final boolean takesJitter;

  BackoffType(ObjectType<? extends Backoff> formula, boolean takesCap, boolean takesJitter) {
    this.formula = formula;
    this.takesCap = takesCap;
    this.takesJitter = takesJitter;
  }

  private static ObjectType<Backoff> none() {
    return ObjectType.of(Backoff.class, "No delay.").makes(values -> Backoff.none());
  }

  private static ObjectType<FixedBackoff> fixed() {
    var type = ObjectType.of(FixedBackoff.class, "The same delay before every retry.");
    var delay =
        type.required(
            "delay", Codec.DURATION, FixedBackoff::delay, "The delay before every retry.");
    return type.makes(values -> new FixedBackoff(values.get(delay)));
  }

  private static ObjectType<LinearBackoff> linear() {
    var type = ObjectType.of(LinearBackoff.class, "min(base + step * (retry - 1), cap).");
    var base =
        type.required("base", Codec.DURATION, LinearBackoff::base, "The delay of the first retry.");
    var step =
        type.required(
            "step",
            Codec.DURATION,
            LinearBackoff::step,
            "How much each delay adds to the one before.");
    var cap = type.required("cap", Codec.DURATION, LinearBackoff::cap, "The longest delay.");
    return type.makes(
        values -> new LinearBackoff(values.get(base), values.get(step), values.get(cap)));
  }

  private static ObjectType<ExponentialBackoff> exponential() {
    var type = ObjectType.of(ExponentialBackoff.class, "min(base * factor^(retry - 1), cap).");
    var base =
        type.required(
            "base", Codec.DURATION, ExponentialBackoff::base, "The delay of the first retry.");
    var factor =
        type.optional(
            "factor",
            Codec.number(
                "number, at least 1",
                BigDecimal.valueOf(Double.MAX_VALUE),
                JsonNodeFactory.instance.objectNode().put("type", "number").put("minimum", 1)),
            2.0,
            ExponentialBackoff::factor,
            "How many times as long each delay is as the one before.");
    var cap = type.required("cap", Codec.DURATION, ExponentialBackoff::cap, "The longest delay.");
    return type.makes(
        values ->
            (ExponentialBackoff)
                Backoff.exponential(values.get(base), values.get(factor), values.get(cap)));
  }

  private static ObjectType<ExponentialBackoffWithJitter> exponentialWithJitter() {
    ExponentialBackoffWithJitter standard = ExponentialBackoffWithJitter.builder().build();
    Codec<Double> share =
        Codec.number(
            "number, 0 to 1",
            BigDecimal.valueOf(Double.MAX_VALUE),
            JsonNodeFactory.instance
                .objectNode()
                .put("type", "number")
                .put("minimum", 0)
                .put("maximum", 1));
    var type =
        ObjectType.of(
            ExponentialBackoffWithJitter.class,
            "The documented backoff of a device SDK: min(minDelay + (2^(retry - 1) - 1)"
                + " * random(interval * (1 - jitterDown), interval * (1 - jitterUp)), maxDelay).");
    var interval =
        type.optional(
            "interval",
            Codec.DURATION,
            standard.interval(),
            ExponentialBackoffWithJitter::interval,
            "What the growth is counted in.");
    var minDelay =
        type.optional(
            "minDelay",
            Codec.DURATION,
            standard.minDelay(),
            ExponentialBackoffWithJitter::minDelay,
            "The delay of the first retry.");
    var maxDelay =
        type.optional(
            "maxDelay",
            Codec.DURATION,
            standard.maxDelay(),
            ExponentialBackoffWithJitter::maxDelay,
            "The longest delay.");
    var jitterDown =
        type.optional(
            "jitterDown",
            share,
            standard.jitterDown(),
            ExponentialBackoffWithJitter::jitterDown,
            "How much the interval may be shortened at most.");
    var jitterUp =
        type.optional(
            "jitterUp",
            share,
            standard.jitterUp(),
            ExponentialBackoffWithJitter::jitterUp,
            "How much the interval is shortened at least; at most jitterDown.");
    var atCap = atCap(type, ExponentialBackoffWithJitter::atCap);
    return type.makes(
        values ->
            ExponentialBackoffWithJitter.builder()
                .interval(values.get(interval))
                .delays(values.get(minDelay), values.get(maxDelay))
                .jitter(values.get(jitterDown), values.get(jitterUp))
                .atCap(values.get(atCap))
                .build());
  }

  private static ObjectType<TruncatedExponentialBackoff> truncatedExponential() {
    var type =
        ObjectType.of(
            TruncatedExponentialBackoff.class,
            "What cloud services ask of devices: min(2^(retry - 1) seconds + random milliseconds"
                + " up to 1000, maximumBackoff).");
    var maximum =
        type.required(
            "maximumBackoff",
            Codec.DURATION,
            TruncatedExponentialBackoff::maximumBackoff,
            "The longest delay.");
    var atCap = atCap(type, TruncatedExponentialBackoff::atCap);
    return type.makes(
        values -> new TruncatedExponentialBackoff(values.get(maximum), values.get(atCap)));
  }

  private static ObjectType<DecorrelatedJitterBackoff> decorrelatedJitter() {
    var type =
        ObjectType.of(
            DecorrelatedJitterBackoff.class, "Drawn evenly from base to min(cap, base * 3^retry).");
    var base =
        type.required(
            "base", Codec.DURATION, DecorrelatedJitterBackoff::base, "The shortest delay.");
    var cap =
        type.required("cap", Codec.DURATION, DecorrelatedJitterBackoff::cap, "The longest delay.");
    return type.makes(values -> new DecorrelatedJitterBackoff(values.get(base), values.get(cap)));
  }

  private static ObjectType<StagedBackoff> staged() {
    Codec<Integer> count = Codec.atLeast(0);
    var type =
        ObjectType.of(
            StagedBackoff.class,
            "Four stages: no delay, the minimum delay, a delay that grows, the maximum delay.");
    var noDelay =
        type.optional(
            "noDelayRetries",
            count,
            0,
            StagedBackoff::noDelayRetries,
            "Retries without a delay, the first ones.");
    var min =
        type.optional(
            "minDelayRetries",
            count,
            0,
            StagedBackoff::minDelayRetries,
            "Retries at the minimum delay.");
    var growing =
        type.optional(
            "backoffRetries",
            count,
            0,
            StagedBackoff::backoffRetries,
            "Retries whose delay grows from the minimum to the maximum.");
    var max =
        type.optional(
            "maxDelayRetries",
            count,
            0,
            StagedBackoff::maxDelayRetries,
            "Retries at the maximum delay, the last ones.");
    var minDelay =
        type.required("minDelay", Codec.DURATION, StagedBackoff::minDelay, "Whole milliseconds.");
    var maxDelay =
        type.required("maxDelay", Codec.DURATION, StagedBackoff::maxDelay, "Whole milliseconds.");
    var function =
        type.optional(
            "function",
            FunctionNames.CODEC,
            BackoffFunction.LINEAR,
            StagedBackoff::function,
            "How the delay grows.");
    return type.makes(
        values ->
            new StagedBackoff(
                values.get(noDelay),
                values.get(min),
                values.get(growing),
                values.get(max),
                values.get(minDelay),
                values.get(maxDelay),
                values.get(function)));
  }

  private static <T extends Backoff> Field<T, AtCap> atCap(
      ObjectType.Builder<T> type, Function<T, AtCap> getter) {
    return type.optional(
        "atCap",
        Codec.oneOf(
            "must be constant or jitter",
            AtCap.values(),
            value -> value.name().toLowerCase(Locale.ROOT)),
        AtCap.CONSTANT,
        getter,
        "What becomes of the jitter at the cap. As documented the delay is the cap; jitter stops"
            + " the growth instead and goes on to draw.");
  }

  public String wireName() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns the description of the formula's own fields. */
  public ObjectType<? extends Backoff> formula() {
    return formula;
  }

  /** Returns the names of all fields of the type. */
  List<String> fields() {
    List<String> fields = new ArrayList<>(List.of(TYPE));
    fields.addAll(formula.names());
    if (takesCap) {
      fields.add(CAP);
    }
    if (takesJitter) {
      fields.add(JITTER);
    }
    fields.addAll(List.of(RETRIES, THEN));
    return fields;
  }

  /** Returns true where the formula has no cap, and a document may put one on it. */
  public boolean takesCap() {
    return takesCap;
  }

  /** Returns false where the formula has jitter of its own, or nothing to vary. */
  public boolean takesJitter() {
    return takesJitter;
  }

  static @Nullable BackoffType read(String name) {
    return Arrays.stream(values()).filter(t -> t.wireName().equals(name)).findFirst().orElse(null);
  }

  /**
   * Returns the type of a formula without jitter and cap, never {@link #NONE}; null where no
   * document can hold it.
   */
  static @Nullable BackoffType of(Backoff formula) {
    return Arrays.stream(values())
        .filter(type -> type != NONE && type.formula.describes(formula))
        .findFirst()
        .orElse(null);
  }

  /** Writes a formula of this type. */
  ObjectNode write(Backoff backoff) {
    ObjectNode node = JsonNodeFactory.instance.objectNode().put(TYPE, wireName());
    return formula.writeTo(backoff, node);
  }

  static String all() {
    return Arrays.stream(values()).map(BackoffType::wireName).collect(Collectors.joining(", "));
  }
}
