package dev.reprise.delivery.address;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressGuardTest {
  private static final AddressGuard GUARD = AddressGuard.globalOnly();

  /** First and last address of every special block, and what its reason must say. */
  @ParameterizedTest
  @CsvSource({
    "0.0.0.0, this network",
    "0.255.255.255, this network",
    "10.0.0.0, private",
    "10.255.255.255, private",
    "100.64.0.0, shared",
    "100.100.100.200, metadata",
    "100.127.255.255, shared",
    "127.0.0.0, loopback",
    "127.255.255.255, loopback",
    "168.63.129.16, cloud host",
    "169.254.0.0, link-local",
    "169.254.169.254, metadata",
    "169.254.255.255, link-local",
    "172.16.0.0, private",
    "172.31.255.255, private",
    "192.0.0.0, protocol",
    "192.0.0.192, metadata",
    "192.0.0.255, protocol",
    "192.0.2.0, documentation",
    "192.0.2.255, documentation",
    "192.88.99.1, 6to4",
    "192.168.0.0, private",
    "192.168.255.255, private",
    "198.18.0.0, benchmarks",
    "198.19.255.255, benchmarks",
    "198.51.100.0, documentation",
    "198.51.100.255, documentation",
    "203.0.113.0, documentation",
    "203.0.113.255, documentation",
    "224.0.0.0, multicast",
    "239.255.255.255, multicast",
    "240.0.0.0, reserved",
    "255.255.255.254, reserved",
    "255.255.255.255, broadcast",
    "::, unspecified",
    "::1, loopback",
    "::2, IPv4 in IPv6",
    "::127.0.0.1, loopback",
    "::8.8.8.8, no longer used",
    "::ffff:127.0.0.1, loopback",
    "::ffff:a9fe:a9fe, metadata",
    "::ffff:0:10.0.0.1, private",
    "::ffff:0:8.8.8.8, no longer used",
    "64:ff9b::127.0.0.1, NAT64",
    "64:ff9b::a00:1, NAT64",
    "64:ff9b:1::808:808, local translation",
    "100::1, discard",
    "2001::1, Teredo",
    "2001:0:ffff::1, Teredo",
    "2001:2::1, benchmarks",
    "2001:10::1, protocol",
    "2001:20::1, protocol",
    "2001:1ff:ffff::1, protocol",
    "2001:db8::1, documentation",
    "2002:7f00:1::, 6to4",
    "2002:a9fe:a9fe::1, 6to4",
    "2600:1::5efe:10.0.0.1, ISATAP",
    "2600:1::200:5efe:10.0.0.1, ISATAP",
    "3fff::1, documentation",
    "3fff:fff:ffff::1, documentation",
    "4000::1, not a global unicast",
    "5f00::1, not a global unicast",
    "fc00::1, unique local",
    "fd00:ec2::254, metadata",
    "fd20:ce::254, metadata",
    "fdff:ffff::1, unique local",
    "fe80::1, link-local",
    "febf:ffff::1, link-local",
    "fec0::1, site-local",
    "ff02::1, multicast",
  })
  void refuses(String address, String reason) throws Exception {
    assertThat(GUARD.refusal(ip(address))).contains(reason);
    assertThat(GUARD.reason(Cidr.bytesOf(address))).contains(reason);
  }

  /** The neighbours of the special blocks, and some addresses in wide use. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "1.0.0.0",
        "1.1.1.1",
        "8.8.8.8",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "126.255.255.255",
        "128.0.0.0",
        "168.63.129.15",
        "169.253.255.255",
        "169.255.0.0",
        "172.15.255.255",
        "172.32.0.0",
        "192.0.1.0",
        "192.0.3.0",
        "192.167.255.255",
        "192.169.0.0",
        "198.17.255.255",
        "198.20.0.0",
        "223.255.255.255",
        "::ffff:8.8.8.8",
        "64:ff9b::8.8.8.8",
        "2001:200::1",
        "2001:4860:4860::8888",
        "2002:808:808::1",
        "2606:4700:4700::1111",
        "2600:1::5efe:8.8.8.8",
        "2a00:1450:4001:81b::200e",
        "3ffe:ffff::1",
        "3fff:1000::1",
      })
  void allows(String address) throws Exception {
    assertThat(GUARD.refusal(ip(address))).isNull();
  }

  @Property(tries = 5000)
  void whatIsForbiddenStaysForbiddenInsideIpv6(@ForAll int v4, @ForAll int rest) {
    assertSameVerdictInside(v4, rest);
  }

  @Property(tries = 5000)
  void whatIsLoopbackStaysForbiddenInsideIpv6(@ForAll int v4, @ForAll int rest) {
    assertSameVerdictInside(127 << 24 | v4 >>> 8, rest);
  }

  private static void assertSameVerdictInside(int v4, int rest) {
    String plain = GUARD.reason(bytes(v4));
    byte[] mapped = v6(0, 0xffff_0000_0000L | unsigned(v4));
    byte[] nat64 = v6(0x0064_ff9b_0000_0000L, unsigned(v4));
    byte[] sixToFour = v6(0x2002_0000_0000_0000L | unsigned(v4) << 16, rest);
    byte[] isatap = v6(0x2600_0000_0000_0000L | unsigned(rest), 0x5efeL << 32 | unsigned(v4));
    byte[] compatible = v6(0, unsigned(v4));
    byte[] translated = v6(0, 0xffffL << 48 | unsigned(v4));
    assertThat(GUARD.reason(mapped)).isEqualTo(plain);
    assertThat(GUARD.reason(nat64) != null).isEqualTo(plain != null);
    assertThat(GUARD.reason(sixToFour) != null).isEqualTo(plain != null);
    assertThat(GUARD.reason(isatap) != null).isEqualTo(plain != null);
    assertThat(GUARD.reason(compatible)).isNotNull();
    assertThat(GUARD.reason(translated)).isNotNull();
  }

  /** Vert.x is given addresses in figures, so the figures must say exactly what was vetted. */
  @Property(tries = 5000)
  void figuresReadBackAsTheSameAddress(@ForAll long high, @ForAll long low, @ForAll long holes)
      throws UnknownHostException {
    // Words of zeros, which are written as "::", would be rare among random bits.
    byte[] bytes = v6(high, low);
    for (int word = 0; word < 8; word++) {
      if ((holes >>> word & 1) == 0) {
        bytes[2 * word] = 0;
        bytes[2 * word + 1] = 0;
      }
    }
    InetAddress address = InetAddress.getByAddress(bytes);
    String figures = NetUtil.toAddressString(address);
    assertThat(NetUtil.createByteArrayFromIpAddressString(figures)).isEqualTo(address.getAddress());
    assertThat(Cidr.bytesOf(figures)).isEqualTo(address.getAddress());
  }

  @Test
  void loopbackIsAllowedForDevelopmentAndNothingElse() throws Exception {
    AddressGuard guard = AddressGuard.allowing(true, List.of());
    assertThat(guard.refusal(ip("127.0.0.1"))).isNull();
    assertThat(guard.refusal(ip("127.8.9.10"))).isNull();
    assertThat(guard.refusal(ip("::1"))).isNull();
    assertThat(guard.refusal(ip("::ffff:127.0.0.1"))).isNull();
    assertThat(guard.refusal(ip("10.0.0.1"))).contains("private");
    assertThat(guard.refusal(ip("169.254.169.254"))).contains("metadata");
    assertThat(guard.refusal(ip("0.0.0.0"))).contains("this network");
    assertThat(guard.refusal(ip("2002:7f00:1::"))).contains("6to4");
  }

  @Test
  void anAllowListNamesBlocksAndSingleAddresses() throws Exception {
    AddressGuard guard =
        AddressGuard.allowing(false, List.of("10.20.0.0/16", "169.254.169.254", "fd12::/16"));
    assertThat(guard.refusal(ip("10.20.255.255"))).isNull();
    assertThat(guard.refusal(ip("::ffff:10.20.0.1"))).isNull();
    assertThat(guard.refusal(ip("10.21.0.0"))).contains("private");
    assertThat(guard.refusal(ip("169.254.169.254"))).isNull();
    assertThat(guard.refusal(ip("169.254.169.253"))).contains("link-local");
    assertThat(guard.refusal(ip("fd12:ffff::1"))).isNull();
    assertThat(guard.refusal(ip("fd13::1"))).contains("unique local");
    assertThat(guard.refusal(ip("64:ff9b::10.20.0.1"))).contains("NAT64");
    assertThat(guard.refusal(ip("8.8.8.8"))).isNull();
  }

  @Test
  void allOfIpv4CanBeAllowed() throws Exception {
    AddressGuard guard = AddressGuard.allowing(false, List.of("0.0.0.0/0"));
    assertThat(guard.refusal(ip("10.0.0.1"))).isNull();
    assertThat(guard.refusal(ip("fe80::1"))).contains("link-local");
    assertThat(AddressGuard.allowing(false, List.of("::/0")).refusal(ip("fe80::1"))).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "'', address",
    "10.0.0.0/33, 0 to 32",
    "10.0.0.0/-1, 0 to 32",
    "10.0.0.0/, 0 to 32",
    "10.0.0.0/8/8, 0 to 32",
    "fd00::/129, 0 to 128",
    "10.0.0.1/8, after the prefix",
    "fd00::1/8, after the prefix",
    "10.0.0/8, address",
    "example.com, address",
    "fe80::1%eth0/64, address",
    "[::1], address",
    "010.0.0.0/8, address",
  })
  void aBlockThatCannotBeReadIsNamed(String block, String rule) {
    assertThatThrownBy(() -> AddressGuard.allowing(false, List.of(block)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + block + "'")
        .hasMessageContaining(rule);
  }

  private static InetAddress ip(String text) throws UnknownHostException {
    return InetAddress.getByAddress(Cidr.bytesOf(text));
  }

  private static byte[] bytes(int v4) {
    return ByteBuffer.allocate(4).putInt(v4).array();
  }

  private static byte[] v6(long high, long low) {
    return ByteBuffer.allocate(16).putLong(high).putLong(low).array();
  }

  private static long unsigned(int v4) {
    return v4 & 0xffff_ffffL;
  }
}
