package dev.reprise.delivery.address;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A name server of a test, on a loopback address, that knows {@code .example} and what is given.
 */
final class Dnsmasq implements AutoCloseable {
  private static final List<Path> BINARIES =
      List.of(Path.of("/usr/sbin/dnsmasq"), Path.of("/usr/bin/dnsmasq"));

  private final int port;
  private final Process process;

  private Dnsmasq(int port, Process process) {
    this.port = port;
    this.process = process;
  }

  /** Starts one and waits until it answers, or skips the test if dnsmasq is not installed. */
  static Dnsmasq start(String address, String... records) throws Exception {
    Path binary =
        BINARIES.stream()
            .filter(Files::isExecutable)
            .findFirst()
            .orElseGet(
                () -> {
                  System.err.println("SKIPPED: dnsmasq is not installed (dnsmasq-base)");
                  return abort("dnsmasq is not installed (apt-get install dnsmasq-base)");
                });
    for (int tries = 0; ; tries++) {
      assertThat(tries).as("tries to start dnsmasq").isLessThan(10);
      int port = freePort(address);
      List<String> command =
          new ArrayList<>(
              List.of(
                  binary.toString(),
                  "--keep-in-foreground",
                  "--conf-file=/dev/null",
                  "--no-resolv",
                  "--no-hosts",
                  "--port=" + port,
                  "--listen-address=" + address,
                  "--bind-interfaces",
                  "--user=" + System.getProperty("user.name"),
                  "--pid-file",
                  "--local=/example/",
                  "--host-record=up.example,93.184.216.1"));
      command.addAll(List.of(records));
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      // Another program may be given the port in between.
      if (answers(address, port, process)) {
        return new Dnsmasq(port, process);
      }
    }
  }

  int port() {
    return port;
  }

  private static boolean answers(String address, int port, Process dnsmasq) throws Exception {
    try (DnsNameLookup lookup =
        new DnsNameLookup(FixedHostFiles.of(port, "nameserver " + address), 1_000, 60_000)) {
      while (ask(lookup, "up.example").failure() != null) {
        if (dnsmasq.waitFor(50, TimeUnit.MILLISECONDS)) {
          return false;
        }
      }
      return true;
    }
  }

  static NameLookup.Answer ask(DnsNameLookup lookup, String host) throws Exception {
    CompletableFuture<NameLookup.Answer> answer = new CompletableFuture<>();
    lookup.lookUp(host, answer::complete);
    return answer.get(60, TimeUnit.SECONDS);
  }

  private static int freePort(String address) throws Exception {
    try (DatagramSocket free = new DatagramSocket(0, InetAddress.getByName(address))) {
      return free.getLocalPort();
    }
  }

  @Override
  public void close() {
    process.destroy();
  }
}
