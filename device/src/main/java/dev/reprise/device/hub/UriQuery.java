package dev.reprise.device.hub;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URI;
import java.net.URLDecoder;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The query of a URI, checked against the names that it may have. */
final class UriQuery {
  private final Map<String, String> values;

  private UriQuery(Map<String, String> values) {
    this.values = values;
  }

  /** Reads a query; throws {@link IllegalArgumentException} when it says something unknown. */
  static UriQuery of(URI uri, List<String> known) {
    Map<String, String> values = new LinkedHashMap<>();
    String query = uri.getRawQuery();
    if (query != null) {
      for (String pair : query.split("&", -1)) {
        int equals = pair.indexOf('=');
        String name = decode(equals < 0 ? pair : pair.substring(0, equals));
        // A typing error would otherwise send messages to an address without a receiver.
        if (equals < 0 || !known.contains(name)) {
          throw new IllegalArgumentException(
              "URI says " + pair + ": must be name=value, of " + known);
        }
        values.put(name, Checks.notEmpty(name, decode(pair.substring(equals + 1))));
      }
    }
    return new UriQuery(values);
  }

  String get(String name, String otherwise) {
    return values.getOrDefault(name, otherwise);
  }

  Optional<String> find(String name) {
    return Optional.ofNullable(values.get(name));
  }

  /** Percent-decodes, and keeps plus signs, which topics may contain. */
  static String decode(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), UTF_8);
  }
}
