package dev.reprise.delivery.address;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The URL of a subscriber's endpoint, taken apart once so that sending needs no parsing. The host
 * is in lower case and in ASCII; if it is an address, the guard has let it pass. A dot at the end
 * of a name counts where the name is looked up, and nowhere else. Immutable; thread-safe.
 */
public final class EndpointUrl {
  /** The longest URL that is accepted, in characters. */
  public static final int MAX_LENGTH = 2048;

  private static final int MAX_HOST_LENGTH = 253;
  private static final Pattern LABEL = Pattern.compile("[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?");

  /** A last label that browsers and C libraries read as part of an IPv4 address. */
  private static final Pattern NUMERIC = Pattern.compile("[0-9]+|0x[0-9a-f]*");

  /** Scheme, authority, and all that follows (RFC 3986, appendix B). */
  private static final Pattern PARTS =
      Pattern.compile("(?:([^:/?#]*):)?//([^/?#]*)(.*)", Pattern.DOTALL);

  private static final Pattern SCHEME_ALONE = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*:");

  private static final HexFormat HEX = HexFormat.of().withUpperCase();

  private static final Pattern PORT = Pattern.compile("[0-9]{0,9}");

  private final boolean tls;
  private final String host;
  private final boolean absolute;
  private final @Nullable InetAddress literal;
  private final int port;
  private final String target;

  /** Made when it is first needed; threads that race for it make the same. */
  private byte @Nullable [] http1Beginning;

  private EndpointUrl(
      boolean tls,
      String host,
      boolean absolute,
      @Nullable InetAddress literal,
      int port,
      String target) {
    this.tls = tls;
    this.host = host;
    this.absolute = absolute;
    this.literal = literal;
    this.port = port;
    this.target = target;
  }

  /**
   * The result of reading a URL: the URL, or everything that is wrong with it.
   *
   * @param url null if there are problems
   * @param problems each names the field, the value (never a password) and the rule
   */
  public record Parsed(@Nullable EndpointUrl url, List<String> problems) {}

  /**
   * Reads and checks a URL, without asking a name server: whether a name can be resolved, and to
   * what, is for {@link VettedResolver#vet} to say.
   *
   * @param text what the subscriber gave
   * @param guard says which addresses are allowed
   */
  public static Parsed parse(String text, AddressGuard guard) {
    if (text.length() > MAX_LENGTH) {
      return refused(
          "endpoint: has " + text.length() + " characters, must have at most " + MAX_LENGTH);
    }
    String unsendable = unsendable(text);
    if (unsendable != null) {
      return refused("endpoint: is not a URL: " + unsendable);
    }
    Matcher parts = PARTS.matcher(text);
    if (!parts.matches()) {
      return refused(
          SCHEME_ALONE.matcher(text).lookingAt()
              ? "endpoint: must name a host, as in https://example.com/hook"
              : "endpoint: must be a URL such as https://example.com/hook");
    }
    List<String> problems = new ArrayList<>();
    String scheme = parts.group(1) == null ? "" : parts.group(1).toLowerCase(Locale.ROOT);
    if (!scheme.equals("http") && !scheme.equals("https")) {
      problems.add("endpoint: scheme '" + scheme + "' must be http or https");
    }
    String behind = parts.group(3);
    if (behind.indexOf('#') >= 0) {
      problems.add("endpoint: must not have a fragment ('#' and what follows)");
    }
    String authority = parts.group(2);
    if (authority.isEmpty()) {
      problems.add("endpoint: must name a host, as in https://example.com/hook");
      return new Parsed(null, problems);
    }
    if (authority.indexOf('@') >= 0) {
      problems.add("endpoint: must not hold a user name or password (before '@')");
      authority = authority.substring(authority.lastIndexOf('@') + 1);
    }
    return parse(behind, scheme.equals("https"), authority, guard, problems);
  }

  /**
   * Returns what of a URL cannot stand in a request, without its text, which may hold a password.
   */
  private static @Nullable String unsendable(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c <= ' ' || (c >= 0x7f && c <= 0xa0)) {
        return (c == ' '
                ? "a blank"
                : String.format(Locale.ROOT, "the control character U+%04X", (int) c))
            + " at index "
            + i
            + " must be percent-encoded";
      }
      if (Character.isSurrogate(c)) {
        if (!Character.isSurrogatePair(c, i + 1 < text.length() ? text.charAt(i + 1) : ' ')) {
          return "half of a surrogate pair at index " + i;
        }
        i++;
      }
    }
    return null;
  }

  private static Parsed parse(
      String behind, boolean tls, String authority, AddressGuard guard, List<String> problems) {
    int colon = authority.indexOf(':', Math.max(0, authority.lastIndexOf(']')));
    String givenHost = colon < 0 ? authority : authority.substring(0, colon);
    String givenPort = colon < 0 ? "" : authority.substring(colon + 1);
    int port = tls ? 443 : 80;
    if (!PORT.matcher(givenPort).matches()) {
      problems.add("endpoint: port '" + givenPort + "' must be a number from 1 to 65535");
    } else if (!givenPort.isEmpty()) {
      port = Integer.parseInt(givenPort);
      if (port < 1 || port > 65535) {
        problems.add("endpoint: port " + givenPort + " must be from 1 to 65535");
      }
    }
    String host;
    boolean absolute;
    InetAddress literal;
    try {
      host = givenHost.startsWith("[") ? givenHost : HostNames.toAscii(givenHost);
      absolute = host.endsWith(".");
      host = absolute ? host.substring(0, host.length() - 1) : host;
      literal = literal(host);
      if (literal != null) {
        host = NetUtil.toAddressString(literal);
      } else {
        checkName(host);
      }
    } catch (IllegalArgumentException e) {
      problems.add("endpoint: host '" + givenHost + "' " + e.getMessage());
      return new Parsed(null, problems);
    }
    String refusal =
        literal != null
            ? guard.refusal(literal)
            : isLocalhost(host) ? guard.refusal(InetAddress.getLoopbackAddress()) : null;
    if (refusal != null) {
      problems.add(
          "endpoint: host '" + givenHost + "' must be a public address, and this is " + refusal);
    }
    if (!problems.isEmpty()) {
      return new Parsed(null, problems);
    }
    return new Parsed(
        new EndpointUrl(tls, host, absolute && literal == null, literal, port, target(behind)),
        List.of());
  }

  /** Whether a name always means this machine, whatever a name server says (RFC 6761, 6.3). */
  static boolean isLocalhost(String host) {
    return host.equals("localhost") || host.endsWith(".localhost");
  }

  /** Whether the scheme is https. */
  public boolean tls() {
    return tls;
  }

  /** The host: a name in ASCII without a dot at its end, or an address without brackets. */
  public String host() {
    return host;
  }

  /** The name as it is looked up: with a dot at its end no search domain is appended. */
  String lookupName() {
    return absolute ? host + "." : host;
  }

  /** The address, if the host is one. */
  @Nullable InetAddress literal() {
    return literal;
  }

  /** The port, given or default, from 1 to 65535. */
  public int port() {
    return port;
  }

  /** Path and query, as they go into the request line. */
  public String target() {
    return target;
  }

  /** The URL in its normal form. */
  @Override
  public String toString() {
    return (tls ? "https://" : "http://")
        + (absolute ? lookupName() : bracketedHost())
        + (port == defaultPort() ? "" : ":" + port)
        + target;
  }

  /** The host as it stands in a URL: IPv6 in brackets. */
  public String bracketedHost() {
    return host.indexOf(':') >= 0 ? "[" + host + "]" : host;
  }

  /** Host and port as the Host header has them: the port only if it is not the scheme's own. */
  public String hostAndPort() {
    return port == defaultPort() ? bracketedHost() : bracketedHost() + ":" + port;
  }

  private int defaultPort() {
    return tls ? 443 : 80;
  }

  /**
   * Returns the beginning of all POST requests to this URL over HTTP/1.1, up to the value of
   * Content-Type; not to be changed.
   */
  public byte[] http1Beginning() {
    byte[] beginning = http1Beginning;
    if (beginning == null) {
      String text = "POST " + target + " HTTP/1.1\r\nhost: " + hostAndPort() + "\r\ncontent-type: ";
      beginning = text.getBytes(US_ASCII);
      http1Beginning = beginning;
    }
    return beginning;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof EndpointUrl that && toString().equals(that.toString());
  }

  @Override
  public int hashCode() {
    return toString().hashCode();
  }

  /**
   * Path and query as they were given: the receiver may have signed them, and tells {@code %2f}
   * from {@code /}, {@code a/../b} from {@code b} and one form of an accent from another. Only what
   * is beyond ASCII is percent-encoded, as UTF-8.
   */
  private static String target(String behind) {
    StringBuilder target = new StringBuilder(behind.length() + 1);
    if (!behind.startsWith("/")) {
      target.append('/');
    }
    if (HostNames.isAscii(behind)) {
      return target.append(behind).toString();
    }
    for (byte each : behind.getBytes(StandardCharsets.UTF_8)) {
      if (each >= 0) {
        target.append((char) each);
      } else {
        target.append('%').append(HEX.toHexDigits(each));
      }
    }
    return target.toString();
  }

  private static @Nullable InetAddress literal(String host) {
    boolean bracketed = host.startsWith("[");
    String lastLabel = host.substring(host.lastIndexOf('.') + 1);
    if (!bracketed && !NUMERIC.matcher(lastLabel).matches()) {
      return null;
    }
    byte[] bytes = null;
    if (!bracketed) {
      bytes = Cidr.bytesOf(host);
    } else if (host.endsWith("]") && host.indexOf(':') >= 0) {
      bytes = Cidr.bytesOf(host.substring(1, host.length() - 1));
    }
    if (bytes == null) {
      throw new IllegalArgumentException(
          bracketed
              ? "must be an IPv6 address in brackets, without a zone"
              : "ends in a number, so it must be an IPv4 address of four decimal numbers");
    }
    try {
      return InetAddress.getByAddress(bytes);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("is not an address", e);
    }
  }

  private static void checkName(String host) {
    if (host.isEmpty()) {
      throw new IllegalArgumentException("must not be empty");
    }
    if (host.length() > MAX_HOST_LENGTH) {
      throw new IllegalArgumentException("must have at most " + MAX_HOST_LENGTH + " characters");
    }
    for (String label : host.split("\\.", -1)) {
      if (!LABEL.matcher(label).matches()) {
        throw new IllegalArgumentException(
            "must be labels of 1 to 63 letters, digits and inner hyphens, separated by dots");
      }
    }
  }

  private static Parsed refused(String problem) {
    return new Parsed(null, List.of(problem));
  }
}
