package dev.reprise.delivery.http;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Which headers may be sent. A line break in one would let its author write a second request. */
final class RequestHeaders {
  /** Set by the sender, or about the connection, which is not the caller's (RFC 9110, 7.6.1). */
  private static final List<String> RESERVED =
      List.of(
          "connection",
          "content-length",
          "content-type",
          "expect",
          "host",
          "http2-settings",
          "keep-alive",
          "proxy-connection",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade");

  private static final boolean[] TOKEN = new boolean[128];

  static {
    "!#$%&'*+-.^_`|~".chars().forEach(c -> TOKEN[c] = true);
    Arrays.fill(TOKEN, '0', '9' + 1, true);
    Arrays.fill(TOKEN, 'A', 'Z' + 1, true);
    Arrays.fill(TOKEN, 'a', 'z' + 1, true);
  }

  private RequestHeaders() {}

  /** Why the headers of an attempt may not be sent; null if they may. */
  static @Nullable String refusal(HttpAttempt attempt) {
    String refusal = refusalOfValue("Content-Type", attempt.contentType());
    List<Map.Entry<String, String>> headers = attempt.headers();
    for (int i = 0; refusal == null && i < headers.size(); i++) {
      String name = headers.get(i).getKey();
      refusal = refusalOfName(name);
      if (refusal == null) {
        refusal = refusalOfValue(name, headers.get(i).getValue());
      }
    }
    return refusal;
  }

  /** Whether a text is a token (RFC 9110, 5.6.2). */
  static boolean isToken(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c >= TOKEN.length || !TOKEN[c]) {
        return false;
      }
    }
    return !text.isEmpty();
  }

  private static @Nullable String refusalOfName(String name) {
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c >= TOKEN.length || !TOKEN[c]) {
        return "header name has character " + codePoint(name, i) + ": must be an HTTP token";
      }
    }
    if (name.isEmpty()) {
      return "header name must not be empty";
    }
    for (int i = 0; i < RESERVED.size(); i++) {
      if (RESERVED.get(i).equalsIgnoreCase(name)) {
        return "header " + name + " must not be given: the sender sets it";
      }
    }
    return null;
  }

  static @Nullable String refusalOfValue(String name, String value) {
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if ((c < ' ' && c != '\t') || c > '~') {
        return "header "
            + name
            + " has character "
            + codePoint(value, i)
            + ": must be printable ASCII";
      }
    }
    return null;
  }

  private static String codePoint(String text, int at) {
    return String.format(Locale.ROOT, "U+%04X at index %d", (int) text.charAt(at), at);
  }
}
