package dev.reprise.smithy.runtime;

import dev.reprise.core.http.HttpFailure;
import dev.reprise.core.http.RetryAfter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The response that reports an error, as the errors of the model are read from it. Whatever a
 * service sends, nothing here throws; what cannot be read is absent.
 */
public final class ErrorResponse {
  private final int status;
  private final Map<String, List<String>> headers;
  private final byte[] payload;
  private final JsonValue body;
  private final List<String> types;
  private final List<String> codes;
  private final @Nullable Duration retryAfter;

  private ErrorResponse(int status, Map<String, List<String>> headers, byte[] payload) {
    this.status = status;
    this.headers = headers;
    this.payload = payload;
    this.body = JsonValue.parse(payload);
    this.types = types(values("X-Amzn-Errortype"), body);
    this.codes = codes(types, body);
    this.retryAfter = longestWait(Instant.now());
  }

  /**
   * Returns the response.
   *
   * @param status the status code, not 2xx
   * @param headers the headers with their values; names are understood in either case, and names,
   *     lists and values that are null are left out
   * @param body the whole body, or null for none; it is not copied, and must not change while the
   *     response is in use
   * @throws IllegalArgumentException if the status is one of success
   */
  public static ErrorResponse of(
      int status, Map<String, List<String>> headers, byte @Nullable [] body) {
    if (HttpFailure.isSuccess(status)) {
      throw new IllegalArgumentException("status is " + status + ": 2xx is not an error");
    }
    Map<String, List<String>> byName = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    headers.forEach(
        (name, values) -> {
          if (name != null && values != null) {
            List<String> known = byName.computeIfAbsent(name, n -> new ArrayList<>());
            values.stream().filter(Objects::nonNull).forEach(known::add);
          }
        });
    return new ErrorResponse(status, byName, body == null ? new byte[0] : body);
  }

  /** Returns the status code. */
  public int status() {
    return status;
  }

  /** Returns the body as JSON; missing if it is empty or malformed. */
  public JsonValue body() {
    return body;
  }

  /** Returns the body as it was sent. */
  public byte[] payload() {
    return payload;
  }

  /** Returns the result of the function for the body as it was sent; null if it is empty. */
  public <T> @Nullable T payloadAs(Function<byte[], T> made) {
    return payload.length == 0 ? null : made.apply(payload);
  }

  /**
   * Returns the names that the service gives the error, without namespace and without what follows
   * a colon: from the header {@code X-Amzn-Errortype}, then from the members {@code __type} and
   * {@code code} of the body.
   */
  public List<String> codes() {
    return codes;
  }

  /** Returns whether the response is JSON that names no error. Many pages of proxies are none. */
  public boolean isUnnamed() {
    return codes.isEmpty() && body.isObject();
  }

  /** Returns what {@link #isUnnamed} does, where {@code code} may be a member like any other. */
  public boolean hasNoType() {
    return values("X-Amzn-Errortype").isEmpty()
        && !body.get("__type").isPresent()
        && body.isObject();
  }

  /**
   * Returns how long the service asked to wait, or null if it did not ask. It is the longest of
   * what {@code Retry-After} and {@code x-amz-retry-after}, whole milliseconds, ask for: to come
   * back too early would be the worse mistake.
   */
  public @Nullable Duration retryAfter() {
    return retryAfter;
  }

  /**
   * Returns the text of the header; of one that was sent several times, all of them with commas.
   */
  public JsonValue header(String name) {
    List<String> values = values(name);
    return values.isEmpty() ? JsonValue.MISSING : JsonValue.text(String.join(", ", values));
  }

  /**
   * Returns the elements of a header that is a list, unmodifiable and without those that cannot be
   * read; null if there is no such header. An element with a comma in it is in quotes.
   */
  public <T> @Nullable List<T> headerList(String name, Function<JsonValue, T> element) {
    if (!headers.containsKey(name)) {
      return null;
    }
    List<T> elements = new ArrayList<>();
    for (String value : values(name)) {
      for (String text : split(value)) {
        T read = element.apply(JsonValue.text(text));
        if (read != null) {
          elements.add(read);
        }
      }
    }
    return Collections.unmodifiableList(elements);
  }

  /** Returns the dates of a header that is a list of HTTP dates, each with a comma of its own. */
  public @Nullable List<Instant> headerDates(String name) {
    if (!headers.containsKey(name)) {
      return null;
    }
    List<Instant> dates = new ArrayList<>();
    for (String value : values(name)) {
      String[] halves = value.split(",", -1);
      for (int i = 0; i + 1 < halves.length; i += 2) {
        Instant date = JsonValue.text(halves[i] + "," + halves[i + 1]).httpDate();
        if (date != null) {
          dates.add(date);
        }
      }
    }
    return Collections.unmodifiableList(dates);
  }

  /**
   * Returns the headers whose names begin with the prefix, in either case, by the rest of the name;
   * unmodifiable. The rest is as it was sent, which over HTTP/2 is always lower case.
   */
  public <K, V> Map<K, V> headersWithPrefix(
      String prefix, Function<String, K> key, Function<JsonValue, V> value) {
    Map<K, V> found = new LinkedHashMap<>();
    headers.forEach(
        (name, values) -> {
          if (name.regionMatches(true, 0, prefix, 0, prefix.length()) && !values.isEmpty()) {
            V read = value.apply(JsonValue.text(String.join(", ", values)));
            if (read != null) {
              found.put(key.apply(name.substring(prefix.length())), read);
            }
          }
        });
    return Collections.unmodifiableMap(found);
  }

  /** Returns the error for a response that no error of the model fits. */
  public UnmodeledHttpError unmodeled() {
    return unmodeled(codes);
  }

  /**
   * Returns what {@link #unmodeled} does, where {@code code} may be a member like any other: what
   * it holds may be a secret, and gets into no message.
   */
  public UnmodeledHttpError unmodeledByType() {
    return unmodeled(types);
  }

  private UnmodeledHttpError unmodeled(List<String> reported) {
    return new UnmodeledHttpError(status, reported.isEmpty() ? "" : reported.get(0), retryAfter);
  }

  private List<String> values(String name) {
    return headers.getOrDefault(name, List.of());
  }

  /** Returns the names from where there can be nothing else: the header and {@code __type}. */
  private static List<String> types(List<String> headers, JsonValue body) {
    List<String> reported = new ArrayList<>();
    headers.forEach(header -> reported.addAll(List.of(header.split(",", -1))));
    reported.add(JsonValue.or(body.get("__type").string(), ""));
    return reported.stream()
        .map(ErrorResponse::nameOfShape)
        .filter(name -> !name.isEmpty())
        .distinct()
        .toList();
  }

  private static List<String> codes(List<String> types, JsonValue body) {
    String code = nameOfShape(JsonValue.or(body.get("code").string(), ""));
    if (code.isEmpty() || types.contains(code)) {
      return types;
    }
    List<String> codes = new ArrayList<>(types);
    codes.add(code);
    return List.copyOf(codes);
  }

  /** Takes {@code FooError} out of {@code com.example#FooError:http://example.com/}. */
  private static String nameOfShape(String code) {
    int colon = code.indexOf(':');
    String id = colon < 0 ? code : code.substring(0, colon);
    return id.substring(id.lastIndexOf('#') + 1).strip();
  }

  private @Nullable Duration longestWait(Instant now) {
    String date = header("Date").string();
    Duration longest = RetryAfter.longest(values("Retry-After"), date, now);
    for (String value : values("x-amz-retry-after")) {
      Duration wait = millis(value.strip());
      if (wait != null && (longest == null || wait.compareTo(longest) > 0)) {
        longest = wait;
      }
    }
    return longest;
  }

  private static @Nullable Duration millis(String digits) {
    if (digits.isEmpty() || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
      return null;
    }
    try {
      long millis = Long.parseLong(digits);
      return Duration.ofMillis(Math.min(millis, RetryAfter.MAX_WAIT.toMillis()));
    } catch (NumberFormatException longerThanLong) {
      return RetryAfter.MAX_WAIT;
    }
  }

  /** Splits at commas, except those in quotes; empty elements are none unless in quotes. */
  private static List<String> split(String header) {
    List<String> elements = new ArrayList<>();
    int at = 0;
    while (at < header.length()) {
      char c = header.charAt(at);
      if (c == ',' || c == ' ' || c == '\t') {
        at++;
      } else if (c == '"') {
        at = addQuoted(header, at + 1, elements);
      } else {
        int comma = header.indexOf(',', at);
        int end = comma < 0 ? header.length() : comma;
        elements.add(header.substring(at, end).strip());
        at = end;
      }
    }
    return elements;
  }

  /** Adds the element that is in quotes, and returns the position after it. */
  private static int addQuoted(String header, int start, List<String> elements) {
    StringBuilder element = new StringBuilder();
    int at = start;
    while (at < header.length() && header.charAt(at) != '"') {
      if (header.charAt(at) == '\\' && at + 1 < header.length()) {
        at++;
      }
      element.append(header.charAt(at));
      at++;
    }
    elements.add(element.toString());
    return at + 1;
  }
}
