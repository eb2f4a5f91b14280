package dev.reprise.cli.base;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The hosts that are reached without a proxy, as {@code NO_PROXY} lists them by curl's rules: a
 * domain stands for its hosts, with or without a dot before it; a block of addresses for those in
 * it; {@code *} for all. An entry may have a port, as Go and Python know it. Nothing here asks a
 * name server.
 *
 * <p>The service's own blocks of addresses are not used: they load Netty, which a command that
 * takes a fraction of a second does without.
 */
record NoProxy(List<String> entries) {
  private static final Pattern SEPARATORS = Pattern.compile("[,\\s]+");
  private static final Pattern V4 = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");
  private static final Pattern V6 = Pattern.compile("[0-9a-f:.]*:[0-9a-f:.]*");
  private static final Pattern PORT = Pattern.compile("(.*[^:]):(\\d{1,5})|(\\[.*]):(\\d{1,5})");

  /** Reads a list with commas or blanks between its entries; null is the empty one. */
  static NoProxy read(@Nullable String list) {
    return new NoProxy(
        list == null
            ? List.of()
            : SEPARATORS
                .splitAsStream(list.toLowerCase(Locale.ROOT))
                .filter(entry -> !entry.isEmpty())
                .toList());
  }

  /**
   * Returns whether a host is reached without a proxy.
   *
   * @param host a name or an address, IPv6 with or without brackets
   */
  boolean covers(String host, int port) {
    String name = bare(host.toLowerCase(Locale.ROOT));
    byte[] address = address(name);
    return entries.stream().anyMatch(entry -> covers(entry, name, address, port));
  }

  private static boolean covers(String entry, String host, byte @Nullable [] address, int port) {
    if (entry.equals("*")) {
      return true;
    }
    String of = entry;
    var withPort = PORT.matcher(entry);
    // The end of an IPv6 address without brackets may look like a port, and is none.
    if (withPort.matches() && address(entry) == null) {
      boolean brackets = withPort.group(1) == null;
      if (Integer.parseInt(withPort.group(brackets ? 4 : 2)) != port) {
        return false;
      }
      of = withPort.group(brackets ? 3 : 1);
    }
    return address == null ? coversName(of, host) : coversAddress(bare(of), address);
  }

  private static boolean coversName(String entry, String host) {
    String domain = bare(entry.startsWith("*.") ? entry.substring(1) : entry);
    domain = domain.startsWith(".") ? domain.substring(1) : domain;
    return !domain.isEmpty() && (host.equals(domain) || host.endsWith("." + domain));
  }

  private static boolean coversAddress(String entry, byte[] address) {
    int slash = entry.indexOf('/');
    byte[] block = address(bare(slash < 0 ? entry : entry.substring(0, slash)));
    if (block == null || block.length != address.length) {
      return false;
    }
    if (slash < 0) {
      return Arrays.equals(block, address);
    }
    String digits = entry.substring(slash + 1);
    int bits = digits.matches("\\d{1,3}") ? Integer.parseInt(digits) : -1;
    return bits >= 0 && bits <= 8 * block.length && sameBits(block, address, bits);
  }

  private static boolean sameBits(byte[] one, byte[] other, int bits) {
    int whole = bits / 8;
    int rest = 8 - bits % 8;
    return Arrays.equals(one, 0, whole, other, 0, whole)
        && (rest == 8 || (one[whole] & 0xff) >> rest == (other[whole] & 0xff) >> rest);
  }

  /**
   * Returns whether a host is this machine, by its name or address. A connection to 0.0.0.0 or ::
   * leads there as well.
   */
  static boolean isLoopback(String host) {
    String name = bare(host.toLowerCase(Locale.ROOT));
    byte[] address = address(name);
    if (address == null) {
      return name.equals("localhost") || name.endsWith(".localhost");
    }
    try {
      InetAddress read = InetAddress.getByAddress(address);
      return read.isLoopbackAddress() || read.isAnyLocalAddress();
    } catch (UnknownHostException e) {
      throw new IllegalStateException("4 or 16 bytes are an address", e);
    }
  }

  /** Returns a name without the dot at its end, an address without brackets and zone. */
  private static String bare(String host) {
    String text =
        host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
    int zone = text.indexOf('%');
    if (zone >= 0 && V6.matcher(text.substring(0, zone)).matches()) {
      return text.substring(0, zone);
    }
    return text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
  }

  /** Returns the bytes of an address in figures; null if the text is none. */
  private static byte @Nullable [] address(String text) {
    if (V4.matcher(text).matches()) {
      return v4(text);
    }
    if (!V6.matcher(text).matches()) {
      return null;
    }
    try {
      // In brackets it is read as an address or not at all.
      return InetAddress.getByName("[" + text + "]").getAddress();
    } catch (UnknownHostException e) {
      return null;
    }
  }

  /** Java takes four numbers for a name if one of them is too large, and asks for its address. */
  private static byte @Nullable [] v4(String text) {
    String[] numbers = text.split("\\.", -1);
    byte[] bytes = new byte[4];
    for (int i = 0; i < 4; i++) {
      int number = Integer.parseInt(numbers[i]);
      if (number > 255) {
        return null;
      }
      bytes[i] = (byte) number;
    }
    return bytes;
  }
}
