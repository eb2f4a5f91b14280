package dev.reprise.delivery.address;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Name servers, search domains and the hosts file, as a machine has them. */
@Timeout(300)
class HostFilesTest {
  @TempDir Path folder;
  private final AtomicLong nanos = new AtomicLong();
  private Path resolvConf;
  private Path hosts;

  @BeforeEach
  void files() {
    resolvConf = folder.resolve("resolv.conf");
    hosts = folder.resolve("hosts");
  }

  private HostFiles files(int port) {
    return new HostFiles(resolvConf, hosts, port, nanos::get);
  }

  private void aSecondPasses() {
    nanos.addAndGet(1_000_000_000L);
  }

  private DnsNameLookup lookup(int port) {
    return new DnsNameLookup(files(port), 20_000, 60_000);
  }

  private static List<String> texts(NameLookup.Answer answer) {
    return answer.addresses().stream().map(NetUtil::toAddressString).toList();
  }

  @Test
  void whereNoNameServerIsNamedItIsTheMachine() throws Exception {
    assertThat(files(53).settings().servers()).asString().isEqualTo("[/127.0.0.1:53]");
    Files.writeString(resolvConf, "");
    assertThat(files(53).settings().servers()).asString().isEqualTo("[/127.0.0.1:53]");
    Files.writeString(resolvConf, "# nameserver 192.0.2.1\nnameserver dns.example\n");
    assertThat(files(53).settings().servers()).asString().isEqualTo("[/127.0.0.1:53]");
  }

  @Test
  void theFileIsReadAsGlibcReadsIt() {
    ResolverSettings read =
        ResolverSettings.parse(
            List.of(
                "domain old.example",
                "search a.example. B.example",
                "options timeout:1 ndots:5 rotate",
                "nameserver 192.0.2.1",
                "nameserver\t2001:db8::1 ",
                "\tnameserver 192.0.2.8",
                "; nameserver 192.0.2.9",
                "nameserver 192.0.2.3 # third",
                "nameserver 192.0.2.4"));
    assertThat(read.servers())
        .extracting(server -> NetUtil.toAddressString(server.getAddress()))
        .containsExactly("192.0.2.1", "2001:db8::1", "192.0.2.3");
    assertThat(read.search()).containsExactly("a.example", "b.example");
    assertThat(read.ndots()).isEqualTo(5);
    assertThat(ResolverSettings.parse(List.of("options ndots:99")).ndots()).isEqualTo(15);
  }

  @Test
  void namesAreTriedInTheOrderOfGlibc() {
    ResolverSettings one = ResolverSettings.parse(List.of("search a.example b.example"));
    assertThat(one.candidates("hook"))
        .containsExactly("hook.a.example.", "hook.b.example.", "hook.");
    assertThat(one.candidates("hook.x"))
        .containsExactly("hook.x.", "hook.x.a.example.", "hook.x.b.example.");
    assertThat(one.candidates("hook.")).containsExactly("hook.");
    ResolverSettings five = ResolverSettings.parse(List.of("search a", "options ndots:5"));
    assertThat(five.candidates("hook.x")).containsExactly("hook.x.a.", "hook.x.");
  }

  @Test
  void anIpv6NameServerMayHaveAScope() throws Exception {
    NetworkInterface loopback = loopback6();
    assumeTrue(loopback != null, "no IPv6 on this machine");
    ResolverSettings read =
        ResolverSettings.parse(
            List.of("nameserver fe80::1%" + loopback.getName(), "nameserver fe80::1%gone"));
    assertThat(read.servers()).hasSize(1);
    assertThat(read.servers().get(0).getAddress().getHostAddress())
        .isEqualTo("fe80:0:0:0:0:0:0:1%" + loopback.getIndex());
  }

  @Test
  void aChangedHostsFileIsFollowed() throws Exception {
    Files.writeString(hosts, "192.0.2.7 Inside.example inside\n2001:db8::7 inside\n");
    try (DnsNameLookup lookup = lookup(9)) {
      assertThat(texts(Dnsmasq.ask(lookup, "inside"))).containsExactly("192.0.2.7", "2001:db8::7");
      assertThat(texts(Dnsmasq.ask(lookup, "inside.example."))).containsExactly("192.0.2.7");
      Files.writeString(hosts, "192.0.2.8 inside\n");
      aSecondPasses();
      assertThat(texts(Dnsmasq.ask(lookup, "inside"))).containsExactly("192.0.2.8");
    }
  }

  @Test
  void searchDomainsAreTriedUntilOneHasTheName() throws Exception {
    try (Dnsmasq server = Dnsmasq.start("127.0.0.1", "--host-record=hook.b.example,192.0.2.5")) {
      Files.writeString(resolvConf, "nameserver 127.0.0.1\nsearch a.example b.example\n");
      try (DnsNameLookup lookup = lookup(server.port())) {
        assertThat(texts(Dnsmasq.ask(lookup, "hook"))).containsExactly("192.0.2.5");
        assertThat(texts(Dnsmasq.ask(lookup, "hook.b.example"))).containsExactly("192.0.2.5");
        assertThat(Dnsmasq.ask(lookup, "hook.example.").failure())
            .isEqualTo("the name does not exist");
      }
    }
  }

  @Test
  void aNameServerThatComesLaterCountsAtOnce() throws Exception {
    HostFiles files = files(53);
    assertThat(files.settings().servers()).asString().isEqualTo("[/127.0.0.1:53]");
    Files.writeString(resolvConf, "nameserver 192.0.2.1\n");
    aSecondPasses();
    assertThat(files.settings().servers()).asString().isEqualTo("[/192.0.2.1:53]");
  }

  @Test
  void aLookUpEndsThoughItsQuestionThrows() throws Exception {
    try (DatagramSocket silent = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        DnsNameLookup lookup = new DnsNameLookup(files(silent.getLocalPort()), 20, 60_000)) {
      Files.writeString(resolvConf, "nameserver 127.0.0.1\n");
      assertThat(Dnsmasq.ask(lookup, "first.example").failure()).isNotNull();
      // Netty's assertions refuse a second loopback address with the same port.
      Files.writeString(resolvConf, "nameserver 127.0.0.2\n");
      aSecondPasses();
      assertThat(Dnsmasq.ask(lookup, "second.example").failure()).isNotNull();
    }
  }

  @Test
  void aChangedSearchDomainIsFollowed() throws Exception {
    try (Dnsmasq server = Dnsmasq.start("127.0.0.1", "--host-record=late.b.example,192.0.2.6")) {
      Files.writeString(resolvConf, "nameserver 127.0.0.1\nsearch a.example\n");
      try (DnsNameLookup lookup = lookup(server.port())) {
        assertThat(Dnsmasq.ask(lookup, "late").addresses()).isEmpty();
        Files.writeString(resolvConf, "nameserver 127.0.0.1\nsearch b.example\n");
        aSecondPasses();
        assertThat(texts(Dnsmasq.ask(lookup, "late"))).containsExactly("192.0.2.6");
      }
    }
  }

  @Test
  void ipv6AloneIsEnough() throws Exception {
    assumeTrue(loopback6() != null, "no IPv6 on this machine");
    try (Dnsmasq server = Dnsmasq.start("::1", "--host-record=six.example,2606:4700::2222")) {
      Files.writeString(resolvConf, "nameserver ::1\n");
      try (DnsNameLookup lookup = lookup(server.port())) {
        assertThat(texts(Dnsmasq.ask(lookup, "six.example"))).containsExactly("2606:4700::2222");
      }
    }
  }

  /** Null where the machine has no IPv6. */
  private static @Nullable NetworkInterface loopback6() throws IOException {
    return NetworkInterface.getByInetAddress(InetAddress.getAllByName("::1")[0]);
  }
}
