package dev.reprise.delivery.address;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Says which addresses the service may connect to on behalf of a subscriber. Without it a
 * subscriber could have the service call its operator's own network (server-side request forgery).
 *
 * <p>Only globally reachable unicast addresses pass (IANA special-purpose registries for IPv4 and
 * IPv6). An IPv6 address that carries an IPv4 address (mapped, translated, 6to4, NAT64, ISATAP) is
 * judged by the address that it carries as well. Pure and immutable; thread-safe.
 */
public final class AddressGuard {
  private record Rule(Cidr block, String reason) {}

  /** The first rule that matches gives the reason, so the narrow ones stand first. */
  private static final List<Rule> V4_RULES =
      List.of(
          rule("169.254.169.254", "cloud metadata service"),
          rule("100.100.100.200", "cloud metadata service"),
          rule("168.63.129.16", "cloud host service"),
          rule("192.0.0.192", "cloud metadata service"),
          rule("0.0.0.0/8", "this network, 0.0.0.0/8"),
          rule("10.0.0.0/8", "private network, 10.0.0.0/8"),
          rule("100.64.0.0/10", "shared address space of carriers, 100.64.0.0/10"),
          rule("127.0.0.0/8", "loopback, 127.0.0.0/8"),
          rule("169.254.0.0/16", "link-local, 169.254.0.0/16"),
          rule("172.16.0.0/12", "private network, 172.16.0.0/12"),
          rule("192.0.0.0/24", "protocol assignments, 192.0.0.0/24"),
          rule("192.0.2.0/24", "documentation, 192.0.2.0/24"),
          rule("192.88.99.0/24", "6to4 relay, 192.88.99.0/24"),
          rule("192.168.0.0/16", "private network, 192.168.0.0/16"),
          rule("198.18.0.0/15", "benchmarks, 198.18.0.0/15"),
          rule("198.51.100.0/24", "documentation, 198.51.100.0/24"),
          rule("203.0.113.0/24", "documentation, 203.0.113.0/24"),
          rule("224.0.0.0/4", "multicast, 224.0.0.0/4"),
          rule("255.255.255.255", "broadcast"),
          rule("240.0.0.0/4", "reserved, 240.0.0.0/4"));

  private static final List<Rule> V6_RULES =
      List.of(
          rule("::", "unspecified address"),
          rule("::1", "loopback, ::1"),
          rule("fd00:ec2::/32", "cloud metadata service"),
          rule("fd20:ce::/32", "cloud metadata service"),
          rule("fc00::/7", "unique local, fc00::/7"),
          rule("fe80::/10", "link-local, fe80::/10"),
          rule("fec0::/10", "site-local, fec0::/10"),
          rule("ff00::/8", "multicast, ff00::/8"),
          rule("64:ff9b:1::/48", "local translation, 64:ff9b:1::/48"),
          rule("100::/64", "discard, 100::/64"),
          rule("2001::/32", "Teredo, 2001::/32"),
          rule("2001:2::/48", "benchmarks, 2001:2::/48"),
          rule("2001:db8::/32", "documentation, 2001:db8::/32"),
          rule("2001::/23", "protocol assignments, 2001::/23"),
          rule("3fff::/20", "documentation, 3fff::/20"));

  private static final Cidr GLOBAL_UNICAST = Cidr.parse("2000::/3");
  private static final Cidr SIX_TO_FOUR = Cidr.parse("2002::/16");
  private static final Cidr NAT64 = Cidr.parse("64:ff9b::/96");
  private static final Cidr COMPATIBLE = Cidr.parse("::/96");
  private static final Cidr TRANSLATED = Cidr.parse("::ffff:0:0:0/96");
  private static final List<Cidr> LOOPBACK = List.of(Cidr.parse("127.0.0.0/8"), Cidr.parse("::1"));

  private static final AddressGuard OF_OPERATOR = new AddressGuard(List.of(Cidr.parse("::/0")));

  private final List<Cidr> allowed;

  private AddressGuard(List<Cidr> allowed) {
    this.allowed = allowed;
  }

  /** Allows what is globally reachable, and nothing else. */
  public static AddressGuard globalOnly() {
    return new AddressGuard(List.of());
  }

  /** Allows everything: for what the operator has set up, never for what a subscriber gives. */
  public static AddressGuard ofOperator() {
    return OF_OPERATOR;
  }

  /**
   * Allows what is globally reachable, and the exceptions that an operator names.
   *
   * @param allowLoopback whether 127.0.0.0/8 and ::1 are allowed too, for development
   * @param allowedBlocks blocks that are allowed too, such as {@code 10.20.0.0/16}; a single
   *     address is a block
   * @throws IllegalArgumentException naming the block that cannot be read, and the rule
   */
  public static AddressGuard allowing(boolean allowLoopback, List<String> allowedBlocks) {
    List<Cidr> allowed = new ArrayList<>(allowLoopback ? LOOPBACK : List.of());
    allowedBlocks.forEach(block -> allowed.add(Cidr.parse(block)));
    return new AddressGuard(List.copyOf(allowed));
  }

  /**
   * Why an address may not be connected to.
   *
   * @return null if it may; otherwise a text such as {@code 10.1.2.3 (private network, 10.0.0.0/8)}
   */
  public @Nullable String refusal(InetAddress address) {
    String reason = reason(address.getAddress());
    return reason == null ? null : NetUtil.toAddressString(address) + " (" + reason + ")";
  }

  /** As {@link #refusal}, for the 4 or 16 bytes of an address, and without the address itself. */
  @Nullable String reason(byte[] address) {
    long high = Cidr.high(address);
    long low = Cidr.low(address);
    for (Cidr block : allowed) {
      if (block.contains(high, low)) {
        return null;
      }
    }
    if (Cidr.isMapped(high, low)) {
      return match(V4_RULES, high, low);
    }
    String reason = match(V6_RULES, high, low);
    if (reason != null) {
      return reason;
    }
    // What an operator allows for IPv4 is not stretched to tunnels and translators.
    if (SIX_TO_FOUR.contains(high, low)) {
      return carried("6to4", (int) (high >>> 16));
    }
    if (NAT64.contains(high, low)) {
      return carried("NAT64", (int) low);
    }
    if (COMPATIBLE.contains(high, low) || TRANSLATED.contains(high, low)) {
      String inside = carried("IPv4 in IPv6", (int) low);
      return inside == null ? "IPv4 in IPv6, a form that is no longer used" : inside;
    }
    if ((low & 0xfdff_ffff_0000_0000L) == 0x0000_5efe_0000_0000L) {
      String inside = carried("ISATAP", (int) low);
      if (inside != null) {
        return inside;
      }
    }
    return GLOBAL_UNICAST.contains(high, low) ? null : "not a global unicast address";
  }

  private static @Nullable String carried(String form, int v4) {
    String reason = match(V4_RULES, 0, Cidr.mapped(v4));
    return reason == null
        ? null
        : form + " address of " + NetUtil.intToIpAddress(v4) + ", " + reason;
  }

  private static @Nullable String match(List<Rule> rules, long high, long low) {
    for (Rule rule : rules) {
      if (rule.block.contains(high, low)) {
        return rule.reason;
      }
    }
    return null;
  }

  private static Rule rule(String block, String reason) {
    return new Rule(Cidr.parse(block), reason);
  }
}
