package dev.reprise.delivery.catalog;

import dev.reprise.delivery.address.HostNames;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The group of a subscription whose endpoint is a URL: all that have the same host and port. */
final class HostKey {
  private static final Pattern PARTS = Pattern.compile("([A-Za-z][^:/?#]*)://([^/?#]+)");

  private HostKey() {}

  /**
   * Returns the name or address of a URL's host as it was typed; null for a text that is no URL.
   */
  static @Nullable String hostOf(String url) {
    Matcher parts = PARTS.matcher(url);
    if (!parts.lookingAt()) {
      return null;
    }
    String authority = parts.group(2);
    String host = authority.substring(authority.lastIndexOf('@') + 1);
    int colon = host.indexOf(':', Math.max(0, host.lastIndexOf(']')));
    return colon < 0 ? host : host.substring(0, colon);
  }

  private static String ascii(String host) {
    try {
      return HostNames.toAscii(host);
    } catch (IllegalArgumentException notOne) {
      return host.toLowerCase(Locale.ROOT);
    }
  }

  /**
   * Returns scheme, host and port, such as {@code https://example.com:443}. An endpoint that is no
   * URL by today's rules is a group of its own.
   */
  static String of(String endpoint) {
    Matcher parts = PARTS.matcher(endpoint);
    if (!parts.lookingAt()) {
      return endpoint;
    }
    String scheme = parts.group(1).toLowerCase(Locale.ROOT);
    String authority = parts.group(2);
    String host = authority.substring(authority.lastIndexOf('@') + 1);
    int colon = host.indexOf(':', Math.max(0, host.lastIndexOf(']')));
    if (colon == host.length() - 1) {
      host = host.substring(0, colon);
      colon = -1;
    }
    String port = colon >= 0 ? host.substring(colon) : scheme.equals("https") ? ":443" : ":80";
    return scheme + "://" + ascii(colon < 0 ? host : host.substring(0, colon)) + port;
  }
}
