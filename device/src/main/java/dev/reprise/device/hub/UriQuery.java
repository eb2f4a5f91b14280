package dev.reprise.device.hub;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URI;
import java.net.URLDecoder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** The query of a URI, checked against the names that it may have. */
final class UriQuery {
  private final Map<String, String> values;
  private final String ofServer;

  private UriQuery(Map<String, String> values, String ofServer) {
    this.values = values;
    this.ofServer = ofServer;
  }

  /** Reads a query; throws {@link IllegalArgumentException} when it says something unknown. */
  static UriQuery of(URI uri, List<String> known) {
    return of(uri, known, name -> false);
  }

  /**
   * Reads a query, parts of which are not for the client.
   *
   * @param isOfServer whether a part of this name goes to the server as it stands
   */
  static UriQuery of(URI uri, List<String> known, Predicate<String> isOfServer) {
    Map<String, String> values = new LinkedHashMap<>();
    List<String> passedOn = new ArrayList<>();
    String query = uri.getRawQuery();
    if (query != null) {
      for (String pair : query.split("&", -1)) {
        int equals = pair.indexOf('=');
        String name = decode(equals < 0 ? pair : pair.substring(0, equals));
        if (isOfServer.test(name)) {
          passedOn.add(pair);
          continue;
        }
        // A typing error would otherwise send messages to an address without a receiver.
        if (equals < 0 || !known.contains(name)) {
          throw new IllegalArgumentException(
              "URI says " + pair + ": must be name=value, of " + known);
        }
        values.put(name, SettingChecks.notEmpty(name, decode(pair.substring(equals + 1))));
      }
    }
    return new UriQuery(values, String.join("&", passedOn));
  }

  /** Returns the parts for the server, percent-encoded as they were, or an empty text. */
  String ofServer() {
    return ofServer;
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
