package dev.reprise.cli.base;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.reprise.cli.Main;
import dev.reprise.fixtures.Await;
import dev.reprise.fixtures.StartedProcess;
import dev.reprise.testkit.RefusingPort;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands whose Java has properties of its own about proxies and names. */
@Tag("slow")
class ProxyProcessTest {
  @TempDir private Path folder;

  /** Runs a command, and returns what it printed. */
  private String run(Map<String, String> environment, List<String> flags, String... words)
      throws Exception {
    List<String> all = StartedProcess.quick(flags.toArray(String[]::new));
    ProcessBuilder builder =
        new ProcessBuilder(StartedProcess.java(all, Main.class.getName(), List.of(words)));
    builder.environment().keySet().removeIf(name -> name.matches("(?i).*_proxy|reprise_.*"));
    builder.environment().putAll(environment);
    Path log = folder.resolve("log");
    builder.redirectErrorStream(true).redirectOutput(log.toFile());
    try (StartedProcess process = StartedProcess.start("command", builder, log)) {
      process.awaitEnd(Await.LIMIT);
    }
    return Files.readString(log);
  }

  @Test
  void noProxyIsStrongerThanThePropertiesOfJava() throws Exception {
    HttpServer service =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    service.createContext(
        "/",
        exchange -> {
          try (exchange) {
            byte[] answer = "{\"name\":\"a\"}".getBytes(UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
          }
        });
    service.start();
    try (RefusingPort away = RefusingPort.take()) {
      List<String> properties =
          List.of(
              "-Dhttp.proxyHost=127.0.0.1",
              "-Dhttp.proxyPort=" + away.number(),
              "-Dhttp.nonProxyHosts=");
      String url = "http://127.0.0.1:" + service.getAddress().getPort();

      String direct =
          run(Map.of("no_proxy", "127.0.0.1"), properties, "topic", "create", "a", "--url", url);
      String byProperties = run(Map.of(), properties, "topic", "create", "a", "--url", url);

      assertThat(direct).doesNotContain("cannot reach");
      assertThat(byProperties).contains("cannot reach " + url);
    } finally {
      service.stop(0);
    }
  }

  @Test
  void anEntryOfNoProxyIsNeverLookedUp() throws Exception {
    // Where Java looks up names: with that address, the entry would be the service.
    Path hosts = Files.writeString(folder.resolve("hosts"), "10.1.2.3 999.0.0.1\n");
    try (RefusingPort away = RefusingPort.take()) {
      String proxy = "127.0.0.1:" + away.number();

      String said =
          run(
              Map.of("http_proxy", proxy, "no_proxy", "999.0.0.1"),
              List.of("-Djdk.net.hosts.file=" + hosts),
              "topic",
              "list",
              "--url",
              "http://10.1.2.3");

      assertThat(said).contains("through the proxy " + proxy + " of http_proxy");
    }
  }

  @Test
  void aProxyWhoseNameIsUnknownIsNamed() throws Exception {
    Path hosts = Files.writeString(folder.resolve("hosts"), "127.0.0.1 service.example\n");
    List<String> names = List.of("-Djdk.net.hosts.file=" + hosts);
    for (String scheme : List.of("http", "socks5")) {
      for (String service : List.of("http", "https")) {
        String said =
            run(
                Map.of("all_proxy", scheme + "://p.example:1"),
                names,
                "topic",
                "list",
                "--url",
                service + "://service.example");

        assertThat(said).contains("there is no such host as the proxy's, p.example");
      }
    }
  }
}
