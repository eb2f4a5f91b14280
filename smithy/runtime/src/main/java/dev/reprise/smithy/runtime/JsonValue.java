package dev.reprise.smithy.runtime;

import dev.reprise.core.http.HttpDate;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A part of a service's answer: a value of JSON, the text of a header, or {@link #MISSING nothing}.
 *
 * <p>A service may send anything, so nothing here throws: what is absent, null, malformed, or not
 * of the type that is asked for is null. Types are those of Smithy; how each of them is written is
 * up to the protocol.
 *
 * <p>JSON is stepped through once, when it is parsed; a value is then a place in its {@code
 * JsonTape}, and only what is asked for is made into objects. So a body takes time in proportion to
 * its size, however it is nested. When an object has a name twice, the last one counts.
 *
 * <p>Not thread-safe: the members of an object are looked up the first time one is asked for.
 */
public final class JsonValue {
  /** The value of an absent part. */
  public static final JsonValue MISSING =
      new JsonValue(Kind.MISSING, JsonTape.whole(new byte[0]), 0);

  /** Reading takes memory, and no error needs as much. */
  static final int MAX_LENGTH = 64 * 1024 * 1024;

  private static final Pattern FRACTION_OF_HTTP_DATE = Pattern.compile("(\\.[0-9]{1,9}) GMT");

  /** A number of JSON, as headers write them too. */
  private static final Pattern NUMBER =
      Pattern.compile("-?(?:0|[1-9][0-9]*+)(?:[.][0-9]++)?+(?:[eE][+-]?[0-9]++)?+");

  private enum Kind {
    MISSING,
    NULL,
    BOOLEAN,
    NUMBER,
    STRING,
    LIST,
    OBJECT,
    HEADER
  }

  private final Kind kind;
  private final JsonTape tape;
  private final int place;

  /** Null until one is asked for. */
  private @Nullable JsonMembers members;

  private JsonValue(Kind kind, JsonTape tape, int place) {
    this.kind = kind;
    this.tape = tape;
    this.place = place;
  }

  /**
   * Returns the value of a JSON text in UTF-8, with or without a byte order mark; {@link #MISSING}
   * when it is malformed, empty, longer than 64 MB, or nested deeper than 128 levels.
   *
   * @param json the text, which is copied
   */
  public static JsonValue parse(byte[] json) {
    if (json.length > MAX_LENGTH) {
      return MISSING;
    }
    return JsonTape.read(json).map(tape -> at(tape, 0)).orElse(MISSING);
  }

  /** Returns the value of a header's text, from which numbers and booleans are read when asked. */
  public static JsonValue text(@Nullable String header) {
    if (header == null) {
      return MISSING;
    }
    byte[] utf8 = header.getBytes(StandardCharsets.UTF_8);
    return new JsonValue(Kind.HEADER, JsonTape.whole(utf8), 0);
  }

  /** Returns the value, or the other one when it is null. */
  public static <T> T or(@Nullable T value, T otherwise) {
    return value == null ? otherwise : value;
  }

  /**
   * Returns the result of the function for the value, or the other result when the value is null.
   */
  public static <T, R> R or(@Nullable T value, Function<T, ? extends R> made, R otherwise) {
    return value == null ? otherwise : made.apply(value);
  }

  /** Returns whether this is an object of JSON. */
  public boolean isObject() {
    return kind == Kind.OBJECT;
  }

  /** Returns whether there is a value that is not null. */
  public boolean isPresent() {
    return kind != Kind.MISSING && kind != Kind.NULL;
  }

  /** Returns the member of this name, {@link #MISSING} if there is none or this is no object. */
  public JsonValue get(String name) {
    if (kind != Kind.OBJECT) {
      return MISSING;
    }
    if (members == null) {
      members = new JsonMembers(tape, place);
    }
    int found = members.find(name);
    return found == JsonMembers.NONE ? MISSING : at(tape, found);
  }

  /** Returns the member of this name, and when there is none one that differs in case only. */
  public JsonValue getAnyCase(String name) {
    JsonValue exact = get(name);
    if (exact.isPresent()) {
      return exact;
    }
    JsonValue[] found = {exact};
    eachMember(
        (key, value) -> {
          if (key.equalsIgnoreCase(name)) {
            found[0] = value;
          }
        });
    return found[0];
  }

  /** Returns the result of the function for this object; null if it is none. */
  public <T> @Nullable T objectAs(Function<JsonValue, T> made) {
    return isObject() ? made.apply(this) : null;
  }

  /** Returns the result of the function for this text; null if it is none. */
  public <T> @Nullable T stringAs(Function<String, T> made) {
    String text = string();
    return text == null ? null : made.apply(text);
  }

  /** Returns the result of the function for this number; null if it is no whole one of 32 bits. */
  public <T> @Nullable T int32As(Function<Integer, T> made) {
    Integer number = int32();
    return number == null ? null : made.apply(number);
  }

  /** Returns the result of the function for these bytes; null if they are not in base64. */
  public <T> @Nullable T blobAs(Function<byte[], T> made) {
    byte[] bytes = blob();
    return bytes == null ? null : made.apply(bytes);
  }

  /** Returns the name of the first member that is not null, which says what a union is. */
  public @Nullable String tag() {
    List<String> names = new ArrayList<>();
    eachMember(
        (name, value) -> {
          // Some services add the type's name to every structure.
          if (names.isEmpty() && value.isPresent() && !name.equals("__type")) {
            names.add(name);
          }
        });
    return names.isEmpty() ? null : names.get(0);
  }

  /** Returns the text of a string or a header; null if this is neither. */
  public @Nullable String string() {
    return switch (kind) {
      case STRING -> tape.string(place);
      case HEADER -> tape.text(place);
      default -> null;
    };
  }

  /** Returns the boolean; null if this is none. */
  public @Nullable Boolean bool() {
    if (kind != Kind.BOOLEAN && kind != Kind.HEADER) {
      return null;
    }
    return switch (tape.text(place).strip()) {
      case "true" -> true;
      case "false" -> false;
      default -> null;
    };
  }

  /** Returns the number if it is a whole one of 8 bits; else null. */
  public @Nullable Byte int8() {
    Long value = int64();
    return value == null || value != value.byteValue() ? null : value.byteValue();
  }

  /** Returns the number if it is a whole one of 16 bits; else null. */
  public @Nullable Short int16() {
    Long value = int64();
    return value == null || value != value.shortValue() ? null : value.shortValue();
  }

  /** Returns the number if it is a whole one of 32 bits; else null. */
  public @Nullable Integer int32() {
    Long value = int64();
    return value == null || value != value.intValue() ? null : value.intValue();
  }

  /** Returns the number when it is a whole one in range, in whatever form: {@code 5e0} is 5. */
  public @Nullable Long int64() {
    return numberAs(JsonNumber::int64);
  }

  /** Returns the number, or null if it is too large for a float. */
  public @Nullable Float float32() {
    String number = number();
    if (number != null) {
      // Not by way of a double: what is rounded twice may be rounded wrongly.
      return JsonNumber.float32(number);
    }
    Double word = noNumberOfJson();
    return word == null ? null : word.floatValue();
  }

  /** Returns the number, or null if it is too large for a double. */
  public @Nullable Double float64() {
    String number = number();
    return number == null ? noNumberOfJson() : JsonNumber.float64(number);
  }

  /** Returns the number when it is a whole one, with the limits of {@link #bigDecimal}. */
  public @Nullable BigInteger bigInteger() {
    return numberAs(JsonNumber::bigInteger);
  }

  /**
   * Returns the number, or null if it has over 1,000 characters, or if it has over 1,000 digits
   * before the point or after it once its power of ten is written out.
   */
  public @Nullable BigDecimal bigDecimal() {
    return numberAs(JsonNumber::bigDecimal);
  }

  /** Returns the bytes of a string in Base64, of either alphabet and with or without padding. */
  public byte @Nullable [] blob() {
    String text = string();
    if (text == null) {
      return null;
    }
    try {
      return Base64.getDecoder().decode(text.strip().replace('-', '+').replace('_', '/'));
    } catch (IllegalArgumentException notBase64) {
      return null;
    }
  }

  /** Returns the time that is so many seconds after 1970; digits past nanoseconds are cut off. */
  public @Nullable Instant epochSeconds() {
    return numberAs(JsonNumber::epochSeconds);
  }

  /** Returns the time of a date-time of RFC 3339, with any offset. */
  public @Nullable Instant dateTime() {
    String text = string();
    if (text == null) {
      return null;
    }
    try {
      return Instant.parse(text.strip());
    } catch (DateTimeException notThisForm) {
      return null;
    }
  }

  /** Returns the time of an HTTP date (RFC 9110), whose seconds may have a fraction. */
  public @Nullable Instant httpDate() {
    String text = string();
    if (text == null) {
      return null;
    }
    Matcher fraction = FRACTION_OF_HTTP_DATE.matcher(text);
    long nanos = 0;
    if (fraction.find()) {
      nanos = new BigDecimal(fraction.group(1)).movePointRight(9).longValue();
      text = fraction.replaceFirst(" GMT");
    }
    Instant whole = HttpDate.parse(text.strip(), Instant.now());
    return whole == null ? null : whole.plusNanos(nanos);
  }

  /** Returns the elements that can be read, unmodifiable; null if this is no list. */
  public <T> @Nullable List<T> list(Function<JsonValue, T> element) {
    return elements(element, Objects::nonNull);
  }

  /**
   * Returns the elements, unmodifiable, with null for those that cannot be read; null if this is no
   * list.
   */
  public <T> @Nullable List<T> sparseList(Function<JsonValue, T> element) {
    return elements(element, any -> true);
  }

  /** Returns the members that can be read, in order, unmodifiable; null if this is no object. */
  public <K, V> @Nullable Map<K, V> map(Function<String, K> key, Function<JsonValue, V> value) {
    return members(key, value, Objects::nonNull);
  }

  /**
   * Returns the members, in order, unmodifiable, with null for values that cannot be read; null
   * when this is no object.
   */
  public <K, V> @Nullable Map<K, V> sparseMap(
      Function<String, K> key, Function<JsonValue, V> value) {
    return members(key, value, any -> true);
  }

  /** Returns the JSON text of the value without whitespace; null if it is absent or no JSON. */
  public @Nullable String json() {
    return isPresent() && kind != Kind.HEADER ? tape.compact(place) : null;
  }

  private <T> @Nullable List<T> elements(Function<JsonValue, T> element, Predicate<T> kept) {
    if (kind != Kind.LIST) {
      return null;
    }
    List<T> elements = new ArrayList<>();
    for (int i = place + 1; i < tape.next(place); i = tape.next(i)) {
      T read = element.apply(at(tape, i));
      if (kept.test(read)) {
        elements.add(read);
      }
    }
    return Collections.unmodifiableList(elements);
  }

  private <K, V> @Nullable Map<K, V> members(
      Function<String, K> key, Function<JsonValue, V> value, Predicate<V> kept) {
    if (kind != Kind.OBJECT) {
      return null;
    }
    Map<K, V> members = new LinkedHashMap<>();
    eachMember((name, member) -> members.put(key.apply(name), value.apply(member)));
    // Only now: of two members of the same name the last one counts, even when it cannot be read.
    members.values().removeIf(kept.negate());
    return Collections.unmodifiableMap(members);
  }

  private void eachMember(BiConsumer<String, JsonValue> action) {
    if (kind != Kind.OBJECT) {
      return;
    }
    for (int name = place + 1; name < tape.next(place); name = tape.next(name + 1)) {
      action.accept(tape.string(name), at(tape, name + 1));
    }
  }

  private <T> @Nullable T numberAs(Function<String, T> made) {
    String number = number();
    return number == null ? null : made.apply(number);
  }

  /** Returns the number as it was sent, or null if this is none or an absurdly long one. */
  private @Nullable String number() {
    if (tape.length(place) > JsonNumber.MAX_LENGTH) {
      return null;
    }
    if (kind == Kind.HEADER) {
      String text = tape.text(place).strip();
      return NUMBER.matcher(text).matches() ? text : null;
    }
    return kind == Kind.NUMBER ? tape.text(place) : null;
  }

  /** Returns what JSON has no number for, so that it is sent as a string. */
  private @Nullable Double noNumberOfJson() {
    return switch (or(string(), "").strip()) {
      case "NaN" -> Double.NaN;
      case "Infinity" -> Double.POSITIVE_INFINITY;
      case "-Infinity" -> Double.NEGATIVE_INFINITY;
      default -> null;
    };
  }

  private static JsonValue at(JsonTape tape, int place) {
    Kind kind =
        switch (tape.firstByte(place)) {
          case '{' -> Kind.OBJECT;
          case '[' -> Kind.LIST;
          case '"' -> Kind.STRING;
          case 't', 'f' -> Kind.BOOLEAN;
          case 'n' -> Kind.NULL;
          default -> Kind.NUMBER;
        };
    return new JsonValue(kind, tape, place);
  }
}
