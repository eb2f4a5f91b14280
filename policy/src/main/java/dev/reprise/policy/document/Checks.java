package dev.reprise.policy.document;

import dev.reprise.core.InvalidSettingException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Collects every rule that one document breaks. A check returns null, or its fallback, when it has
 * found something, so that the reader goes on to the next field. Paths name a field from the root
 * of the document, with dots between the levels.
 *
 * <p>For readers of documents that hold policies, which judge their own fields in the same words.
 * Not thread-safe: one for each document.
 */
public final class Checks {
  private static final JsonMapper STRICT = JsonFault.strictMapper();

  private static final BigInteger MAX_COUNT = BigInteger.valueOf(Integer.MAX_VALUE);

  /** Of a number that is written out: 1e400000000 would not fit the memory. */
  private static final int MAX_DIGITS = 1_000;

  private static final Duration MAX_DURATION = Duration.ofNanos(Long.MAX_VALUE);

  static final String DURATION_RULE = "must be a text such as 250ms, 10s, 4m, 1h or PT10S";

  private final List<Violation> violations = new ArrayList<>();

  /** Creates the checks of a document, with no violation yet. */
  public Checks() {}

  /**
   * Reads JSON to which nothing is done: fractions stay exact, and a field that is given twice or
   * text after the end is an error.
   *
   * @param path what to call the document in a violation
   * @return null when the text is not JSON
   */
  public @Nullable JsonNode json(String path, String text) {
    try {
      return STRICT.readTree(text);
    } catch (JacksonException e) {
      add(new Violation(path, "not readable", JsonFault.of(e)));
      return null;
    } catch (NumberFormatException e) {
      // An exponent of eleven digits is JSON, but no BigDecimal.
      add(new Violation(path, "not readable", "a number has an exponent that is too large"));
      return null;
    }
  }

  /** Adds a violation by a value as it was written. */
  public void complain(String path, JsonNode value, String rule) {
    add(new Violation(path, Quoted.json(value), rule));
  }

  /** Adds a violation by a field that is not there. */
  public void missing(String path, String rule) {
    add(new Violation(path, "missing", rule));
  }

  /** Adds a violation. */
  public void add(Violation violation) {
    violations.add(violation);
  }

  /** Returns the violations so far, in the order in which they were found. */
  public List<Violation> violations() {
    return List.copyOf(violations);
  }

  /** Returns where violations are collected, for rules that add their own. */
  public List<Violation> collected() {
    return violations;
  }

  /** Returns how many violations there are so far. */
  public int count() {
    return violations.size();
  }

  /** Adds a violation for each field that is not known, with the one that was probably meant. */
  public void rejectUnknown(String path, JsonNode object, List<String> known) {
    for (Map.Entry<String, JsonNode> field : object.properties()) {
      String name = field.getKey();
      if (!known.contains(name)) {
        complain(
            join(path, Quoted.fieldName(name)),
            field.getValue(),
            FieldNames.unknownRule(name, known));
      }
    }
  }

  /**
   * Reads a whole number.
   *
   * @param rule what it must be, for one that is out of bounds
   */
  public @Nullable Integer whole(
      String path, JsonNode value, int lowest, int highest, String rule) {
    if (!isWhole(value)) {
      boolean tooLong = value.isNumber() && digits(value.decimalValue()) > MAX_DIGITS;
      complain(path, value, tooLong ? rule : "must be a whole number");
      return null;
    }
    BigInteger number = value.decimalValue().toBigIntegerExact();
    if (number.compareTo(MAX_COUNT) > 0 && highest == Integer.MAX_VALUE) {
      complain(path, value, "must be at most " + MAX_COUNT);
      return null;
    }
    if (number.compareTo(BigInteger.valueOf(lowest)) < 0
        || number.compareTo(BigInteger.valueOf(highest)) > 0) {
      complain(path, value, rule);
      return null;
    }
    return number.intValueExact();
  }

  /** Returns whether a value is a whole number; as in JSON Schema, 3.0 is as whole as 3. */
  public static boolean isWhole(JsonNode value) {
    return value.isNumber()
        && digits(value.decimalValue()) <= MAX_DIGITS
        && value.decimalValue().stripTrailingZeros().scale() <= 0;
  }

  private static long digits(BigDecimal number) {
    return number.precision() - (long) number.scale();
  }

  /** Reads a number that may have a fraction; both bounds are allowed. */
  public @Nullable BigDecimal decimal(
      String path, JsonNode value, BigDecimal lowest, BigDecimal highest) {
    if (!value.isNumber()) {
      complain(path, value, "must be a number");
      return null;
    }
    BigDecimal number = value.decimalValue();
    if (number.compareTo(lowest) < 0 || number.compareTo(highest) > 0) {
      complain(
          path,
          value,
          "must be between " + lowest.toPlainString() + " and " + highest.toPlainString());
      return null;
    }
    return number;
  }

  /** Reads true or false, or returns the fallback for a field that is not there. */
  public boolean flag(String path, JsonNode object, String field, boolean fallback) {
    JsonNode value = object.get(field);
    if (value == null) {
      return fallback;
    }
    if (!value.isBoolean()) {
      complain(join(path, field), value, "must be true or false");
      return fallback;
    }
    return value.booleanValue();
  }

  /** Reads a text such as {@code 250ms} or {@code PT10S}; it must not be negative. */
  public @Nullable Duration duration(String path, JsonNode value) {
    Duration duration = value.isString() ? DurationText.read(value.stringValue()) : null;
    if (duration == null) {
      complain(path, value, DURATION_RULE);
      return null;
    }
    if (duration.isNegative() || duration.compareTo(MAX_DURATION) > 0) {
      complain(path, value, "must be between 0 and 292 years");
      return null;
    }
    return duration;
  }

  /**
   * Makes a part of the core, or another value, which checks how its numbers fit together. An
   * {@link InvalidSettingException} becomes a violation of the field that it names, any other
   * refusal one of the whole object.
   *
   * @param object where the numbers were read
   */
  public <T> @Nullable T made(String path, JsonNode object, Supplier<T> maker) {
    try {
      return maker.get();
    } catch (InvalidSettingException refused) {
      JsonNode written = object.get(refused.field());
      add(
          new Violation(
              join(path, refused.field()),
              written == null ? refused.value() + " (default)" : Quoted.json(written),
              refused.rule()));
      return null;
    } catch (IllegalArgumentException refused) {
      complain(path, object, String.valueOf(refused.getMessage()));
      return null;
    }
  }

  /** Returns the path of a field. */
  public static String join(String path, String field) {
    return path.isEmpty() ? field : path + "." + field;
  }
}
