package dev.reprise.delivery.catalog;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;

/** The group of a subscription whose endpoint is a URL: all that have the same host and port. */
final class HostKey {
  private HostKey() {}

  /**
   * Returns scheme, host and port, such as {@code https://example.com:443}. An endpoint that is no
   * URL by today's rules is a group of its own.
   */
  static String of(String endpoint) {
    URI uri;
    try {
      uri = new URI(endpoint);
    } catch (URISyntaxException e) {
      return endpoint;
    }
    String authority = uri.getRawAuthority();
    if (uri.getScheme() == null || authority == null) {
      return endpoint;
    }
    String scheme = uri.getScheme().toLowerCase(Locale.ROOT);
    String host = authority.substring(authority.lastIndexOf('@') + 1).toLowerCase(Locale.ROOT);
    int colon = host.indexOf(':', Math.max(0, host.lastIndexOf(']')));
    if (colon == host.length() - 1) {
      host = host.substring(0, colon);
      colon = -1;
    }
    String port = colon >= 0 ? "" : scheme.equals("https") ? ":443" : ":80";
    return scheme + "://" + host + port;
  }
}
