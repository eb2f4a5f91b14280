package dev.reprise.bench.service;

import java.util.Locale;

/** Bodies of 512 bytes that carry a number. */
final class Messages {
  private static final String PAD = "x".repeat(470);

  private Messages() {}

  /** The body itself. */
  static String body(long number) {
    return String.format(
        Locale.ROOT, "{\"number\":%016d,\"pad\":\"%s\"}", number + 1_000_000_000_000_000L, PAD);
  }

  /** The publish request. */
  static String publish(long number) {
    return "{\"body\":" + body(number) + "}";
  }

  static long number(String body) {
    int start = body.indexOf("\"number\":") + "\"number\":".length();
    return Long.parseLong(body, start, start + 16, 10) - 1_000_000_000_000_000L;
  }
}
