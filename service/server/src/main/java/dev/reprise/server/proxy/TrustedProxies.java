package dev.reprise.server.proxy;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.delivery.address.Cidr;
import io.vertx.core.MultiMap;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The proxies whose word counts for where a request comes from. Immutable.
 *
 * <p>Each proxy adds, at the end, the address that has sent it the request. So the addresses are
 * read from the end, as long as they are those of trusted proxies: the first that is not is the
 * client's, and what stands before it is the client's own word. What cannot be read ends the
 * reading at the proxy that wrote it. Host and scheme are the last ones given: those of the proxy
 * that is nearest.
 */
public final class TrustedProxies {
  /** No proxy is trusted. */
  public static final TrustedProxies NONE = new TrustedProxies(List.of(), false);

  /** The value of the setting for {@code X-Forwarded-For}, {@code -Host} and {@code -Proto}. */
  public static final String X_FORWARDED = "x-forwarded";

  /** The value of the setting for the header of RFC 7239. */
  public static final String FORWARDED = "forwarded";

  /** No service stands behind more; a client that sends a longer list must not cost more. */
  private static final int MAX_PROXIES = 50;

  /** The longest IPv6 address with brackets and a port has 53 characters. */
  private static final int MAX_ADDRESS_CHARACTERS = 64;

  private static final Pattern HOST =
      Pattern.compile("(?:[A-Za-z0-9._-]{1,255}|\\[[0-9A-Fa-f:.]{2,45}])(?::[0-9]{1,5})?");
  private static final Pattern BRACKETED = Pattern.compile("\\[([^\\]]*)](?::[0-9]{1,5})?");
  private static final Pattern WITH_PORT = Pattern.compile("([0-9.]+):[0-9]{1,5}");

  private final List<Cidr> blocks;
  private final boolean standard;

  private TrustedProxies(List<Cidr> blocks, boolean standard) {
    this.blocks = List.copyOf(blocks);
    this.standard = standard;
  }

  /**
   * Trusts proxies of these addresses.
   *
   * @param field the setting that has them, for the error
   * @param addresses blocks such as {@code 10.0.0.0/8}, or single addresses
   * @param header {@value #X_FORWARDED} or {@value #FORWARDED}; the other is ignored, as a proxy
   *     that writes one passes the client's own text of the other on
   * @throws InvalidSettingException if one is no block of addresses
   */
  public static TrustedProxies of(String field, List<String> addresses, String header) {
    List<Cidr> blocks = new ArrayList<>();
    for (String each : addresses) {
      try {
        blocks.add(Cidr.parse(each));
      } catch (IllegalArgumentException e) {
        throw new InvalidSettingException(
            field,
            each,
            "must be an address or a block of addresses, such as 10.0.0.0/8, with no bits set"
                + " after the prefix");
      }
    }
    return new TrustedProxies(blocks, header.equals(FORWARDED));
  }

  /** Returns whether no proxy is trusted. */
  public boolean isEmpty() {
    return blocks.isEmpty();
  }

  /**
   * Returns where a request comes from.
   *
   * @param peer the address at the other end of the connection, in figures
   * @param headers the headers of the request as they came
   */
  public RequestSource sourceOf(String peer, MultiMap headers) {
    String ownHost = headers.get("Host");
    byte[] address = addressOf(peer);
    if (address == null || !isTrusted(address)) {
      return new RequestSource(peer, ownHost, false);
    }
    List<ForwardedElement> elements = standard ? standardOf(headers) : conventionalOf(headers);
    String client = peer;
    int last = elements.size() - 1;
    for (int i = last; i >= 0 && i > last - MAX_PROXIES; i--) {
      byte[] before = addressOf(elements.get(i).client());
      if (before == null) {
        break;
      }
      client = text(before);
      if (!isTrusted(before)) {
        break;
      }
    }
    ForwardedElement nearest = standard ? lastOf(elements) : conventionalLastOf(headers);
    String host = nearest.host();
    return new RequestSource(
        client,
        host != null && HOST.matcher(host).matches() ? host : ownHost,
        "https".equalsIgnoreCase(nearest.scheme()));
  }

  private boolean isTrusted(byte[] address) {
    for (Cidr block : blocks) {
      if (block.contains(address)) {
        return true;
      }
    }
    return false;
  }

  private static List<ForwardedElement> conventionalOf(MultiMap headers) {
    List<ForwardedElement> elements = new ArrayList<>();
    for (String line : headers.getAll("X-Forwarded-For")) {
      for (String each : line.split(",", -1)) {
        elements.add(new ForwardedElement(each.strip(), null, null));
      }
    }
    return elements;
  }

  /** A line that breaks the grammar is one element that says nothing. */
  private static List<ForwardedElement> standardOf(MultiMap headers) {
    List<ForwardedElement> elements = new ArrayList<>();
    for (String line : headers.getAll("Forwarded")) {
      List<ForwardedElement> ofLine = ForwardedElement.allOf(line);
      elements.addAll(ofLine == null ? List.of(ForwardedElement.UNREADABLE) : ofLine);
    }
    return elements;
  }

  private static ForwardedElement lastOf(List<ForwardedElement> elements) {
    return elements.isEmpty() ? ForwardedElement.UNREADABLE : elements.get(elements.size() - 1);
  }

  /** Host and scheme have headers of their own, which may be shorter than that of addresses. */
  private static ForwardedElement conventionalLastOf(MultiMap headers) {
    return new ForwardedElement(
        "", lastOf(headers, "X-Forwarded-Host"), lastOf(headers, "X-Forwarded-Proto"));
  }

  private static @Nullable String lastOf(MultiMap headers, String name) {
    List<String> lines = headers.getAll(name);
    if (lines.isEmpty()) {
      return null;
    }
    String line = lines.get(lines.size() - 1);
    return line.substring(line.lastIndexOf(',') + 1).strip();
  }

  /** The bytes of an address with or without port, brackets and zone; null if it is none. */
  private static byte @Nullable [] addressOf(String text) {
    if (text.length() > MAX_ADDRESS_CHARACTERS) {
      return null;
    }
    var bracketed = BRACKETED.matcher(text);
    var withPort = WITH_PORT.matcher(text);
    String address =
        bracketed.matches() ? bracketed.group(1) : withPort.matches() ? withPort.group(1) : text;
    int zone = address.indexOf('%');
    return Cidr.bytesOf(zone < 0 ? address : address.substring(0, zone));
  }

  private static String text(byte[] address) {
    try {
      return InetAddress.getByAddress(address).getHostAddress();
    } catch (UnknownHostException e) {
      throw new IllegalStateException("an address has 4 or 16 bytes", e);
    }
  }
}
