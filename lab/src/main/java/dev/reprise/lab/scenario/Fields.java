package dev.reprise.lab.scenario;

import dev.reprise.policy.Checks;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The fields of one object of a document. What breaks a rule is complained of, and a value that
 * keeps it stands in, so that the reader goes on; whoever has complained makes nothing of it.
 */
final class Fields {
  private static final Duration MAX_DURATION = Duration.ofDays(365);
  private static final BigDecimal MAX_PER_SECOND = BigDecimal.valueOf(1_000_000_000);
  static final String TYPE = "type";

  private final Checks checks;
  private final String path;
  private final JsonNode object;
  private final int before;
  private final String type;

  private Fields(Checks checks, String path, JsonNode object, int before, String type) {
    this.checks = checks;
    this.path = path;
    this.object = object;
    this.before = before;
    this.type = type;
  }

  /** Returns the fields of an object, or null when it is none. */
  static @Nullable Fields of(Checks checks, String path, JsonNode value, List<String> known) {
    if (!value.isObject()) {
      checks.complain(path, value, "must be an object");
      return null;
    }
    int before = checks.count();
    checks.rejectUnknown(path, value, known);
    return new Fields(checks, path, value, before, "");
  }

  /** Returns the fields of an object that says by its type which ones it has, or null. */
  static @Nullable Fields typed(
      Checks checks, String path, JsonNode value, Map<String, List<String>> fieldsByType) {
    if (!value.isObject()) {
      checks.complain(path, value, "must be an object with a type");
      return null;
    }
    String rule = "must be one of " + String.join(", ", fieldsByType.keySet());
    JsonNode type = value.get(TYPE);
    if (type == null) {
      checks.missing(Checks.join(path, TYPE), rule);
      return null;
    }
    List<String> fields = type.isString() ? fieldsByType.get(type.stringValue()) : null;
    if (fields == null) {
      checks.complain(Checks.join(path, TYPE), type, rule);
      return null;
    }
    int before = checks.count();
    checks.rejectUnknown(path, value, fields);
    return new Fields(checks, path, value, before, type.stringValue());
  }

  /** Returns the value of {@link #TYPE}; empty where there is none. */
  String type() {
    return type;
  }

  String at(String field) {
    return Checks.join(path, field);
  }

  boolean has(String field) {
    return object.has(field);
  }

  @Nullable JsonNode get(String field) {
    return object.get(field);
  }

  /** Returns a field, or null, with a complaint, when it is not there. */
  @Nullable JsonNode required(String field, String rule) {
    JsonNode value = object.get(field);
    if (value == null) {
      checks.missing(at(field), rule);
    }
    return value;
  }

  /** Makes the value of the object, unless one of its fields is already known to be wrong. */
  <T> T made(Supplier<T> maker, T standIn) {
    if (checks.count() > before) {
      return standIn;
    }
    T made = checks.made(path, object, maker);
    return made == null ? standIn : made;
  }

  int count(String field, int lowest, int highest) {
    JsonNode value = required(field, countRule(lowest, highest));
    return value == null ? lowest : count(field, value, lowest, highest);
  }

  int count(String field, int lowest, int highest, int standard) {
    JsonNode value = object.get(field);
    return value == null ? standard : count(field, value, lowest, highest);
  }

  private int count(String field, JsonNode value, int lowest, int highest) {
    Integer count = checks.whole(at(field), value, lowest, highest, countRule(lowest, highest));
    return count == null ? lowest : count;
  }

  private static String countRule(int lowest, int highest) {
    return "must be between " + lowest + " and " + highest;
  }

  /** A number of 0 to 1 that must be there. */
  double share(String field) {
    JsonNode value = required(field, "must be between 0 and 1");
    return value == null ? 0 : number(field, value, BigDecimal.ONE);
  }

  double share(String field, double standard) {
    JsonNode value = object.get(field);
    return value == null ? standard : number(field, value, BigDecimal.ONE);
  }

  /** A number of 0 to {@code highest}. */
  double number(String field, BigDecimal highest, double standard) {
    JsonNode value = object.get(field);
    return value == null ? standard : number(field, value, highest);
  }

  private double number(String field, JsonNode value, BigDecimal highest) {
    BigDecimal number = checks.decimal(at(field), value, BigDecimal.ZERO, highest);
    return number == null ? 0 : number.doubleValue();
  }

  boolean flag(String field, boolean standard) {
    return checks.flag(path, object, field, standard);
  }

  /** A time of 0 to a year that must be there. */
  Duration span(String field) {
    JsonNode value = required(field, SpanText.RULE);
    return value == null ? Duration.ZERO : span(field, value, true);
  }

  Duration span(String field, Duration standard) {
    JsonNode value = object.get(field);
    return value == null ? standard : span(field, value, true);
  }

  /** A time of more than 0 that must be there. */
  Duration positiveSpan(String field) {
    JsonNode value = required(field, SpanText.RULE);
    return value == null ? Duration.ZERO : span(field, value, false);
  }

  Duration positiveSpan(String field, Duration standard) {
    JsonNode value = object.get(field);
    return value == null ? standard : span(field, value, false);
  }

  /** A time of more than 0, or null when it is not there. */
  @Nullable Duration timeout(String field) {
    JsonNode value = object.get(field);
    return value == null ? null : span(field, value, false);
  }

  private Duration span(String field, JsonNode value, boolean mayBeZero) {
    Duration span = value.isString() ? SpanText.read(value.stringValue()) : null;
    if (span == null) {
      checks.complain(at(field), value, SpanText.RULE);
      return Duration.ZERO;
    }
    if (span.isNegative() || span.compareTo(MAX_DURATION) > 0) {
      checks.complain(at(field), value, "must be between 0 and 365 days");
      return Duration.ZERO;
    }
    if (span.isZero() && !mayBeZero) {
      checks.complain(at(field), value, "must be more than 0");
    }
    return span;
  }

  /** A rate of more than 0 that must be there. */
  double rate(String field) {
    JsonNode value = required(field, RateText.RULE);
    return value == null ? 0 : rate(checks, at(field), value, false);
  }

  /** A rate that must be there. */
  double rateOrZero(String field) {
    JsonNode value = required(field, RateText.RULE);
    return value == null ? 0 : rate(checks, at(field), value, true);
  }

  /** Reads a rate, up to a thousand million a second. */
  static double rate(Checks checks, String path, JsonNode value, boolean mayBeZero) {
    OptionalDouble rate =
        value.isString() ? RateText.read(value.stringValue()) : OptionalDouble.empty();
    if (rate.isEmpty()) {
      checks.complain(path, value, RateText.RULE);
      return 0;
    }
    double perSecond = rate.getAsDouble();
    if (perSecond > MAX_PER_SECOND.doubleValue()) {
      checks.complain(path, value, "must be at most " + MAX_PER_SECOND + "/s");
    }
    if (perSecond == 0 && !mayBeZero) {
      checks.complain(path, value, "must be more than 0");
    }
    return perSecond;
  }

  /** One of a few words. */
  <T> T choice(String field, Map<String, T> words, T standard) {
    JsonNode value = object.get(field);
    if (value == null) {
      return standard;
    }
    T chosen = value.isString() ? words.get(value.stringValue()) : null;
    if (chosen == null) {
      checks.complain(at(field), value, "must be one of " + String.join(", ", words.keySet()));
      return standard;
    }
    return chosen;
  }

  /** A text of 1 to 60 characters that must be there. */
  String text(String field) {
    String rule = "must be a text of 1 to 60 characters";
    JsonNode value = required(field, rule);
    if (value == null) {
      return "";
    }
    if (!value.isString() || value.stringValue().isEmpty() || length(value) > 60) {
      checks.complain(at(field), value, rule);
      return "";
    }
    return value.stringValue();
  }

  static int length(JsonNode text) {
    return text.stringValue().codePointCount(0, text.stringValue().length());
  }
}
