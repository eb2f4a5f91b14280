package dev.reprise.delivery.http;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.netty.resolver.dns.SingletonDnsServerAddressStreamProvider;
import io.netty.util.NetUtil;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Look-ups against dnsmasq, and against a socket that never answers. */
@Timeout(30)
class DnsNameLookupTest {
  private static final List<Path> DNSMASQ =
      List.of(Path.of("/usr/sbin/dnsmasq"), Path.of("/usr/bin/dnsmasq"));

  @Test
  void aNameServerIsUnderstood() throws Exception {
    int port;
    try (DatagramSocket free = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    Process dnsmasq = dnsmasq(port);
    try (DnsNameLookup lookup = lookup(port, 1_000)) {
      awaitAnswers(lookup, dnsmasq);
      NameLookup.Answer both = ask(lookup, "both.example");
      assertThat(texts(both)).containsExactly("93.184.216.34", "2606:4700::1111");
      assertThat(both.ttlNanos()).isEqualTo(SECONDS.toNanos(77));
      assertThat(texts(ask(lookup, "six.example"))).containsExactly("2606:4700::2222");
      assertThat(texts(ask(lookup, "alias.example")))
          .containsExactly("93.184.216.34", "2606:4700::1111");
      NameLookup.Answer none = ask(lookup, "none.example");
      assertThat(none.addresses()).isEmpty();
      assertThat(none.failure()).isEqualTo("the name does not exist");
    } finally {
      dnsmasq.destroy();
    }
  }

  @Test
  void aNameServerThatNeverAnswersIsGivenUp() throws Exception {
    try (DatagramSocket silent = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        DnsNameLookup lookup = lookup(silent.getLocalPort(), 100)) {
      NameLookup.Answer answer = ask(lookup, "hangs.example");
      assertThat(answer.addresses()).isEmpty();
      assertThat(answer.failure()).isEqualTo("the name server did not answer");
      assertThat(answer.ttlNanos()).isPositive();
    }
  }

  @Test
  void afterCloseTheAnswerIsAFailure() throws Exception {
    DnsNameLookup lookup = new DnsNameLookup();
    lookup.close();
    assertThat(ask(lookup, "any.example").failure()).isNotNull();
  }

  private static Process dnsmasq(int port) throws Exception {
    Path binary =
        DNSMASQ.stream()
            .filter(Files::isExecutable)
            .findFirst()
            .orElseGet(
                () -> {
                  System.err.println("SKIPPED: dnsmasq is not installed (dnsmasq-base)");
                  return abort("dnsmasq is not installed (apt-get install dnsmasq-base)");
                });
    return new ProcessBuilder(
            binary.toString(),
            "--keep-in-foreground",
            "--conf-file=/dev/null",
            "--no-resolv",
            "--no-hosts",
            "--port=" + port,
            "--listen-address=127.0.0.1",
            "--bind-interfaces",
            "--user=" + System.getProperty("user.name"),
            "--pid-file",
            "--local=/example/",
            "--host-record=both.example,93.184.216.34,2606:4700::1111,77",
            "--host-record=six.example,2606:4700::2222",
            "--cname=alias.example,both.example")
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  private static void awaitAnswers(DnsNameLookup lookup, Process dnsmasq) throws Exception {
    for (int i = 0; i < 20; i++) {
      if (ask(lookup, "both.example").failure() == null) {
        return;
      }
      if (dnsmasq.waitFor(50, TimeUnit.MILLISECONDS)) {
        throw new AssertionError("dnsmasq ended with " + dnsmasq.exitValue());
      }
    }
    throw new AssertionError("dnsmasq does not answer");
  }

  private static DnsNameLookup lookup(int port, long timeoutMillis) {
    InetSocketAddress server = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    return new DnsNameLookup(new SingletonDnsServerAddressStreamProvider(server), timeoutMillis);
  }

  private static NameLookup.Answer ask(DnsNameLookup lookup, String host) throws Exception {
    CompletableFuture<NameLookup.Answer> answer = new CompletableFuture<>();
    lookup.lookUp(host, answer::complete);
    return answer.get(20, SECONDS);
  }

  private static List<String> texts(NameLookup.Answer answer) {
    return answer.addresses().stream().map(NetUtil::toAddressString).toList();
  }
}
