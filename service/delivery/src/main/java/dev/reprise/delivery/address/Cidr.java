package dev.reprise.delivery.address;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A block of addresses. IPv4 lives inside IPv6 here, as {@code ::ffff:0:0/96}, so that an address
 * and its IPv4-mapped form are one and the same.
 */
public record Cidr(long high, long low, int prefixBits) {
  private static final Pattern DOTTED_QUAD =
      Pattern.compile("(?:(?:0|[1-9][0-9]{0,2})\\.){3}(?:0|[1-9][0-9]{0,2})");
  private static final Pattern V6_CHARACTERS = Pattern.compile("[0-9a-fA-F:.]+");
  private static final int MAPPED_PREFIX_BITS = 96;
  private static final long MAPPED_LOW = 0xffff_0000_0000L;

  /**
   * Reads {@code 10.0.0.0/8}, {@code fd00::/8}, or a single address.
   *
   * @throws IllegalArgumentException naming the text and the rule it breaks
   */
  public static Cidr parse(String text) {
    int slash = text.indexOf('/');
    String address = slash < 0 ? text : text.substring(0, slash);
    byte[] bytes = bytesOf(address);
    if (bytes == null) {
      throw new IllegalArgumentException(
          "address block '" + text + "': must be an IPv4 or IPv6 address, such as 10.0.0.0/8");
    }
    int maxBits = address.indexOf(':') >= 0 ? 128 : 32;
    int bits = maxBits;
    if (slash >= 0) {
      String digits = text.substring(slash + 1);
      bits = digits.matches("\\d{1,3}") ? Integer.parseInt(digits) : -1;
      if (bits < 0 || bits > maxBits) {
        throw new IllegalArgumentException(
            "address block '" + text + "': prefix must be a number from 0 to " + maxBits);
      }
    }
    int prefixBits = maxBits == 32 ? MAPPED_PREFIX_BITS + bits : bits;
    Cidr block = new Cidr(high(bytes), low(bytes), prefixBits);
    if ((block.high & ~highMask(prefixBits)) != 0 || (block.low & ~lowMask(prefixBits)) != 0) {
      throw new IllegalArgumentException(
          "address block '" + text + "': no bits may be set after the prefix");
    }
    return block;
  }

  /**
   * The bytes of an address in figures; null if the text is none. IPv4 is four decimal numbers
   * without leading zeros, which other software would read as octal; IPv6 has no brackets and no
   * zone. Never asks a name server.
   */
  public static byte @Nullable [] bytesOf(String text) {
    if (DOTTED_QUAD.matcher(text).matches()) {
      return NetUtil.createByteArrayFromIpAddressString(text);
    }
    if (text.indexOf(':') < 0 || !V6_CHARACTERS.matcher(text).matches()) {
      return null;
    }
    try {
      // In brackets it is read as IPv6 or not at all. Netty's own reader knows fewer forms.
      return InetAddress.getAllByName("[" + text + "]")[0].getAddress();
    } catch (UnknownHostException e) {
      return null;
    }
  }

  /** Returns whether an address of 4 or 16 bytes is in the block. */
  public boolean contains(byte[] address) {
    return contains(high(address), low(address));
  }

  boolean contains(long otherHigh, long otherLow) {
    return (otherHigh & highMask(prefixBits)) == high && (otherLow & lowMask(prefixBits)) == low;
  }

  /** The first 64 bits of an address of 4 or 16 bytes. */
  static long high(byte[] address) {
    return address.length == 4 ? 0 : longAt(address, 0);
  }

  /** The last 64 bits of an address of 4 or 16 bytes. */
  static long low(byte[] address) {
    return address.length == 4 ? mapped(intAt(address, 0)) : longAt(address, 8);
  }

  /** The last 64 bits of the IPv4-mapped form. */
  static long mapped(int v4) {
    return MAPPED_LOW | (v4 & 0xffff_ffffL);
  }

  static boolean isMapped(long high, long low) {
    return high == 0 && (low & 0xffff_ffff_0000_0000L) == MAPPED_LOW;
  }

  private static long highMask(int prefixBits) {
    return prefixBits == 0 ? 0 : -1L << Math.max(0, 64 - prefixBits);
  }

  private static long lowMask(int prefixBits) {
    return prefixBits <= 64 ? 0 : -1L << (128 - prefixBits);
  }

  private static long longAt(byte[] bytes, int at) {
    return ((long) intAt(bytes, at) << 32) | (intAt(bytes, at + 4) & 0xffff_ffffL);
  }

  private static int intAt(byte[] bytes, int at) {
    return (bytes[at] & 0xff) << 24
        | (bytes[at + 1] & 0xff) << 16
        | (bytes[at + 2] & 0xff) << 8
        | (bytes[at + 3] & 0xff);
  }
}
