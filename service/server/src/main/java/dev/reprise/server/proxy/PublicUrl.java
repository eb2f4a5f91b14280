package dev.reprise.server.proxy;

import dev.reprise.common.text.WrongUrl;
import dev.reprise.core.InvalidSettingException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where clients reach the service: the URL of a proxy that passes their requests on, with or
 * without the path in front. Immutable.
 */
public final class PublicUrl {
  /** The service at its own address, without a path in front. */
  public static final PublicUrl NONE = new PublicUrl("", "", -1, "/");

  /**
   * The first segments of what the service itself serves. A public path that began with one could
   * not be told from a path whose front a proxy has taken away.
   */
  private static final Set<String> OWN_SEGMENTS =
      Set.of(
          "v1",
          "console",
          "health",
          "metrics",
          "openapi.json",
          "openapi-3.0.json",
          "sign-in",
          "topics",
          "subscriptions",
          "deliveries",
          "dead-letters",
          "policies",
          "lab",
          "carriers");

  private static final Pattern SEGMENT = Pattern.compile("[A-Za-z0-9._~-]+");
  private static final Pattern HOST = Pattern.compile("[A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+]");
  private static final int MAX_PORT = 65535;

  private final String scheme;
  private final String host;
  private final int port;
  private final String path;

  private PublicUrl(String scheme, String host, int port, String path) {
    this.scheme = scheme;
    this.host = host;
    this.port = port;
    this.path = path;
  }

  /**
   * Reads a URL such as {@code https://example.com/reprise/}; a slash that its path lacks at the
   * end is added.
   *
   * @param field the setting that has it, for the error
   * @throws InvalidSettingException if the URL cannot be that of a service
   */
  public static PublicUrl of(String field, String text) {
    URI uri;
    try {
      uri = new URI(text);
    } catch (URISyntaxException e) {
      throw new InvalidSettingException(
          field, WrongUrl.shown(text), "must be a URL: " + e.getReason());
    }
    String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
    String host = uri.getHost();
    int port = uri.getPort();
    String wrong =
        !scheme.equals("http") && !scheme.equals("https")
            ? "must begin with http:// or https://"
            : uri.getRawUserInfo() != null
                ? "must have no user and no password"
                : host == null || !HOST.matcher(host).matches()
                    ? "must have a host: a name in ASCII or an address"
                    : port == 0 || port > MAX_PORT
                        ? "must have a port from 1 to " + MAX_PORT + ", or none"
                        : uri.getRawQuery() != null
                            ? "must have no query"
                            : uri.getRawFragment() != null
                                ? "must have no fragment"
                                : brokenPath(uri.getRawPath());
    if (wrong != null || host == null) {
      throw new InvalidSettingException(field, WrongUrl.shown(text), String.valueOf(wrong));
    }
    String path = uri.getRawPath();
    return new PublicUrl(
        scheme,
        host.toLowerCase(Locale.ROOT),
        port == (scheme.equals("https") ? 443 : 80) ? -1 : port,
        path.endsWith("/") ? path : path + "/");
  }

  private static @Nullable String brokenPath(String path) {
    if (path.isEmpty() || path.equals("/")) {
      return null;
    }
    String inner = path.substring(1, path.endsWith("/") ? path.length() - 1 : path.length());
    String[] segments = inner.split("/", -1);
    for (String segment : segments) {
      if (segment.equals(".") || segment.equals("..")) {
        return "must have no segment . or .. in its path";
      }
      if (!SEGMENT.matcher(segment).matches()) {
        return "must have a path of letters, digits, '.', '_', '~' and '-' between single slashes";
      }
    }
    return isOwn(segments[0])
        ? "must have a path that does not begin with /" + segments[0] + ", which the service has"
        : null;
  }

  /** Returns whether paths of the service itself begin with a segment. */
  public static boolean isOwn(String segment) {
    return OWN_SEGMENTS.contains(segment);
  }

  /** The path, which begins and ends with a slash. */
  public String path() {
    return path;
  }

  /** Returns whether there is a public URL, and it is https. */
  public boolean isSecure() {
    return scheme.equals("https");
  }

  /** Returns whether requests with this {@code Host} go to the public URL. */
  public boolean isHost(@Nullable String given) {
    return given != null
        && !host.isEmpty()
        && (given.equalsIgnoreCase(authority()) || given.equalsIgnoreCase(host + ":" + realPort()));
  }

  /** Returns whether an {@code Origin} is that of the public URL's own pages. */
  public boolean isOrigin(@Nullable String origin) {
    return origin != null
        && !host.isEmpty()
        && origin.equalsIgnoreCase(scheme + "://" + authority());
  }

  private String authority() {
    return port < 0 ? host : host + ":" + port;
  }

  private int realPort() {
    return port >= 0 ? port : isSecure() ? 443 : 80;
  }

  /** Returns a path of a request without the public path in front, if it has that. */
  public String inside(String given) {
    return isBelow(given) ? given.substring(path.length() - 1) : given;
  }

  private boolean isBelow(String given) {
    return path.length() > 1 && given.startsWith(path);
  }

  /**
   * Returns path and query of a request, without the public path in front if it has that.
   *
   * @param path the path as it came
   * @param query what came behind the question mark; null without one
   * @param uri both as they came
   */
  public String uri(String path, @Nullable String query, String uri) {
    return !isBelow(path) ? uri : query == null ? inside(path) : inside(path) + "?" + query;
  }

  /** Returns whether a path of a request is the public path without its slash at the end. */
  public boolean lacksSlash(String given) {
    return path.length() > 1 && given.length() == path.length() - 1 && path.startsWith(given);
  }

  /** The URL with its slash at the end; empty if there is none. */
  @Override
  public String toString() {
    return host.isEmpty() ? "" : scheme + "://" + authority() + path;
  }
}
