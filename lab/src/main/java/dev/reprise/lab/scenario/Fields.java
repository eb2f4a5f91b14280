package dev.reprise.lab.scenario;

import dev.reprise.policy.document.Checks;
import dev.reprise.policy.document.Codec;
import dev.reprise.policy.document.ObjectType;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The fields of one object of a document. What breaks a rule is complained of, and a value that
 * keeps it stands in, so that the reader goes on; whoever has complained makes nothing of it.
 */
final class Fields {
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

  /**
   * Returns the value of an object as it is described; the stand-in for none and for a wrong one.
   */
  static <T> T object(
      Checks checks, String path, @Nullable JsonNode value, ObjectType<T> type, T standIn) {
    Fields fields = value == null ? null : of(checks, path, value, type.names());
    return fields == null ? standIn : fields.read(type, standIn);
  }

  /** Returns the names of the fields of objects that say their type, by type. */
  static <T> Map<String, List<String>> namesByType(Map<String, ObjectType<? extends T>> types) {
    Map<String, List<String>> names = new LinkedHashMap<>();
    types.forEach(
        (name, type) ->
            names.put(name, Stream.concat(Stream.of(TYPE), type.names().stream()).toList()));
    return names;
  }

  /** Returns the value of the object as it is described; the stand-in when a field is wrong. */
  <T> T read(ObjectType<? extends T> described, T standIn) {
    T read = described.read(checks, path, object, before);
    return read == null ? standIn : read;
  }

  /** Returns the value of the object as it is described for its type. */
  <T> T readTyped(Map<String, ObjectType<? extends T>> types, T standIn) {
    return read(Objects.requireNonNull(types.get(type), type), standIn);
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
    return read(
        field, required(field, ScenarioCodecs.SHARE.rule()), ScenarioCodecs.SHARE, 0.0, 0.0);
  }

  double share(String field, double standard) {
    return read(field, object.get(field), ScenarioCodecs.SHARE, standard, 0.0);
  }

  boolean flag(String field, boolean standard) {
    return checks.flag(path, object, field, standard);
  }

  /** A time of 0 to a year that must be there. */
  Duration span(String field) {
    return span(field, required(field, SpanText.RULE), ScenarioCodecs.SPAN, Duration.ZERO);
  }

  Duration span(String field, Duration standard) {
    return span(field, object.get(field), ScenarioCodecs.SPAN, standard);
  }

  /** A time of more than 0 that must be there. */
  Duration positiveSpan(String field) {
    return span(field, required(field, SpanText.RULE), ScenarioCodecs.POSITIVE_SPAN, Duration.ZERO);
  }

  Duration positiveSpan(String field, Duration standard) {
    return span(field, object.get(field), ScenarioCodecs.POSITIVE_SPAN, standard);
  }

  /** A time of more than 0, or null when it is not there. */
  @Nullable Duration timeout(String field) {
    return has(field) ? positiveSpan(field) : null;
  }

  private Duration span(
      String field, @Nullable JsonNode value, Codec<Duration> codec, Duration standard) {
    return read(field, value, codec, standard, Duration.ZERO);
  }

  /** A rate of more than 0 that must be there. */
  double rate(String field) {
    return read(field, required(field, RateText.RULE), ScenarioCodecs.RATE, 0.0, 0.0);
  }

  /** A rate that must be there. */
  double rateOrZero(String field) {
    return read(field, required(field, RateText.RULE), ScenarioCodecs.RATE_OR_ZERO, 0.0, 0.0);
  }

  /** One of a few words. */
  <T> T choice(String field, Map<String, T> words, T standard) {
    return read(field, object.get(field), ScenarioCodecs.words(words), standard, standard);
  }

  /** A text of 1 to 60 characters that must be there. */
  String text(String field) {
    return read(field, required(field, ScenarioCodecs.TEXT.rule()), ScenarioCodecs.TEXT, "", "");
  }

  private <V> V read(
      String field, @Nullable JsonNode value, Codec<V> codec, V standard, V standIn) {
    if (value == null) {
      return standard;
    }
    V read = codec.reader().read(checks, at(field), value);
    return read == null ? standIn : read;
  }

  static int length(JsonNode text) {
    return text.stringValue().codePointCount(0, text.stringValue().length());
  }
}
