package dev.reprise.cli.base;

import dev.reprise.common.text.WrongUrl;
import java.net.InetSocketAddress;
import java.net.PasswordAuthentication;
import java.net.Proxy;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A proxy that the environment names, by <a
 * href="https://curl.se/docs/manpage.html#ENVIRONMENT">curl's rules</a>: {@code https_proxy} or
 * {@code http_proxy} by the scheme of the service, then {@code all_proxy}; a name in small letters
 * before one in capitals; and not for the hosts of {@code no_proxy}. {@code HTTP_PROXY} in capitals
 * is not looked at, since a CGI program has a header of its caller there (CVE-2016-5385). A service
 * on this machine is asked without it.
 *
 * @param source the variable that names it
 * @param server its type, host and port; the host is not resolved yet
 * @param user the user and password that it asks for, if any
 */
record EnvironmentProxy(String source, Proxy server, @Nullable PasswordAuthentication user) {
  /** The port of a proxy whose URL has none, as curl takes it. */
  private static final int USUAL_PORT = 1080;

  private static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*://");

  /** User and password, host, port. */
  private static final Pattern AUTHORITY =
      Pattern.compile("(?:([^@]*)@)?(\\[[0-9A-Fa-f:.]+]|[A-Za-z0-9._-]+)(?::(\\d{0,5}))?");

  private static final String RULE =
      "must be an http: or socks5: URL of a proxy, such as http://proxy.example:3128";

  /**
   * Returns the proxy for requests to a URL; null if there is none for it.
   *
   * @param variables the value of a variable of the environment; null if it is not set or empty
   * @throws CommandFailure when the variable that counts is no URL of a proxy
   */
  static @Nullable EnvironmentProxy of(URI service, UnaryOperator<@Nullable String> variables) {
    if (NoProxy.isLoopback(service.getHost()) || isExcepted(service, variables)) {
      return null;
    }
    List<String> names =
        isHttps(service)
            ? List.of("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
            : List.of("http_proxy", "all_proxy", "ALL_PROXY");
    for (String name : names) {
      String value = variables.apply(name);
      if (value != null) {
        return read(name, value);
      }
    }
    return null;
  }

  /** Returns whether {@code no_proxy} has the host of a URL. */
  static boolean isExcepted(URI service, UnaryOperator<@Nullable String> variables) {
    int port = service.getPort() >= 0 ? service.getPort() : isHttps(service) ? 443 : 80;
    return NoProxy.read(first(variables, "no_proxy", "NO_PROXY")).covers(service.getHost(), port);
  }

  private static boolean isHttps(URI service) {
    return "https".equalsIgnoreCase(service.getScheme());
  }

  private static @Nullable String first(
      UnaryOperator<@Nullable String> variables, String small, String capitals) {
    String value = variables.apply(small);
    return value == null ? variables.apply(capitals) : value;
  }

  private static EnvironmentProxy read(String source, String text) {
    URI uri;
    try {
      uri = new URI(SCHEME.matcher(text).lookingAt() ? text : "http://" + text);
    } catch (URISyntaxException e) {
      throw wrong(source, text, RULE);
    }
    String path = uri.getRawPath();
    if ((path != null && !path.isEmpty() && !path.equals("/"))
        || uri.getRawQuery() != null
        || uri.getRawFragment() != null) {
      // What is taken for a path may be the rest of a password, so it is not shown.
      throw wrong(
          source,
          text.contains("@") ? text : text.replaceFirst("^((?:" + SCHEME + ")?).*", "$1***"),
          "must have no path, query or fragment; write /, ? and # of a user or password as %2F, %3F"
              + " and %23");
    }
    String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
    boolean socks = scheme.equals("socks5");
    // URI itself knows no host with an underscore, as containers have.
    Matcher authority = AUTHORITY.matcher(String.valueOf(uri.getRawAuthority()));
    boolean known = socks || scheme.matches("https?|socks5h");
    if (!known || uri.getRawAuthority() == null || !authority.matches()) {
      throw wrong(source, text, RULE);
    }
    String digits = authority.group(3);
    int port = digits == null || digits.isEmpty() ? USUAL_PORT : Integer.parseInt(digits);
    if (port > 65_535) {
      throw wrong(source, text, RULE);
    }
    if (scheme.equals("https")) {
      throw wrong(
          source,
          text,
          RULE
              + "; a connection to the proxy itself cannot be encrypted, that to an https: service"
              + " through it is");
    }
    if (scheme.equals("socks5h")) {
      throw wrong(
          source,
          text,
          "must be socks5: instead, since the name of the service is looked up on this machine and"
              + " not by the proxy");
    }
    PasswordAuthentication user = user(authority.group(1));
    if (socks && user != null) {
      throw wrong(source, text, "must have no user and password, which only http: proxies get");
    }
    return new EnvironmentProxy(
        source,
        new Proxy(
            socks ? Proxy.Type.SOCKS : Proxy.Type.HTTP,
            InetSocketAddress.createUnresolved(authority.group(2), port)),
        user);
  }

  private static @Nullable PasswordAuthentication user(@Nullable String rawUserInfo) {
    if (rawUserInfo == null) {
      return null;
    }
    int colon = rawUserInfo.indexOf(':');
    String name = colon < 0 ? rawUserInfo : rawUserInfo.substring(0, colon);
    String password = colon < 0 ? "" : rawUserInfo.substring(colon + 1);
    return new PasswordAuthentication(decoded(name), decoded(password).toCharArray());
  }

  /** A plus is a plus here: only escapes with a per cent sign are decoded. */
  private static String decoded(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  private static CommandFailure wrong(String source, String text, String rule) {
    return CommandFailure.wrongUsage(source + " is " + WrongUrl.shown(text) + ": " + rule);
  }

  /** Returns its host as its variable has it. */
  String host() {
    return ((InetSocketAddress) server.address()).getHostString();
  }

  /** Returns the words for a proxy that does not take the user and password, or lack of them. */
  String asksForLogin() {
    return "the proxy "
        + this
        + (user == null ? " asks for a user and password" : " refuses its user or password")
        + ": write them as http://user:password@host:port";
  }

  /** Returns its host and port, and the variable that names it. */
  @Override
  public String toString() {
    InetSocketAddress address = (InetSocketAddress) server.address();
    return address.getHostString() + ":" + address.getPort() + " of " + source;
  }
}
