package dev.reprise.server.proxy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The words of one proxy in {@code Forwarded} (RFC 7239).
 *
 * @param client the parameter {@code for}; empty without one
 * @param host the parameter {@code host}
 * @param scheme the parameter {@code proto}
 */
record ForwardedElement(String client, @Nullable String host, @Nullable String scheme) {
  /** Says nothing. */
  static final ForwardedElement UNREADABLE = new ForwardedElement("", null, null);

  private static final String TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]++";

  /** Bounded, as the expression takes a frame of the stack for each character. */
  private static final String QUOTED = "\"((?:[^\"\\\\]|\\\\.){0,255}+)\"";

  private static final Pattern PAIR =
      Pattern.compile("[ \\t]*+(" + TOKEN + ")=(?:(" + TOKEN + ")|" + QUOTED + ")[ \\t]*+");
  private static final Pattern ESCAPED = Pattern.compile("\\\\(.)");

  /** Returns the elements of a line in their order; null if it breaks the grammar. */
  static @Nullable List<ForwardedElement> allOf(String line) {
    List<ForwardedElement> elements = new ArrayList<>();
    Map<String, String> pairs = new HashMap<>();
    Matcher pair = PAIR.matcher(line);
    int at = 0;
    while (pair.region(at, line.length()).lookingAt()) {
      String quoted = pair.group(3);
      String value = quoted == null ? pair.group(2) : ESCAPED.matcher(quoted).replaceAll("$1");
      if (pairs.put(pair.group(1).toLowerCase(Locale.ROOT), value) != null) {
        return null;
      }
      at = pair.end();
      char next = at < line.length() ? line.charAt(at) : ',';
      if (next == ',') {
        elements.add(
            new ForwardedElement(
                pairs.getOrDefault("for", ""), pairs.get("host"), pairs.get("proto")));
        pairs.clear();
      } else if (next != ';') {
        return null;
      }
      at++;
      if (at > line.length()) {
        return elements;
      }
    }
    return null;
  }
}
