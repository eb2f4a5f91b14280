package dev.reprise.delivery.http;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The part of a response's head that the sender reads.
 *
 * @param status the final status, 200 to 999
 * @param retryAfter all Retry-After headers as they came
 * @param date the Date header as it came; null without one
 * @param headers those that the attempt wants, by name in lower case
 * @param fault why the rest of the head was not read, for people; null if it was
 */
record ResponseHead(
    int status,
    List<String> retryAfter,
    @Nullable String date,
    Map<String, String> headers,
    @Nullable String fault) {
  /** The most that is kept of the headers that an attempt wants, names among it, in characters. */
  private static final int MAX_WANTED = 8 * 1024;

  /** Returns the fault of a head that has more bytes than are read. */
  static String tooLong(int maxBytes) {
    return "the rest of its head, which has more than " + maxBytes + " bytes, was not read";
  }

  /**
   * Picks the headers that an attempt wants. One that would be too much is left out.
   *
   * @param first gives the first value of a header
   */
  static Map<String, String> pick(List<String> wanted, UnaryOperator<@Nullable String> first) {
    Map<String, String> picked = new LinkedHashMap<>();
    int room = MAX_WANTED;
    for (String name : wanted) {
      String value = first.apply(name);
      if (value != null && name.length() + value.length() <= room) {
        room -= name.length() + value.length();
        picked.put(name, value);
      }
    }
    return Collections.unmodifiableMap(picked);
  }
}
