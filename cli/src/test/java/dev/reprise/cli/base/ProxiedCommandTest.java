package dev.reprise.cli.base;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.reprise.cli.CommandRun;
import dev.reprise.fixtures.Squid;
import dev.reprise.fixtures.TestCertificate;
import dev.reprise.testkit.RefusingPort;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Commands whose environment names a proxy: a real Squid, which asks for a password and alone knows
 * the host of the service.
 */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ProxiedCommandTest {
  private static final String HOST = "reprise.example";

  private final List<String> requests = new CopyOnWriteArrayList<>();
  private HttpServer plain;
  private HttpsServer secure;
  private Squid squid;
  private String authority;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    // As root, Squid becomes another user before it reads the file.
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    Path hosts = Files.writeString(folder.resolve("hosts"), "127.0.0.1 " + HOST + "\n");
    squid =
        Squid.start(
            folder, "hosts_file " + hosts + "\n" + Squid.AUTHENTICATION + "http_access allow all");
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    plain = HttpServer.create(anyPort, 0);
    secure = HttpsServer.create(anyPort, 0);
    TestCertificate certificate = TestCertificate.of(folder, "service", HOST);
    authority = certificate.certificatePem().toString();
    secure.setHttpsConfigurator(new HttpsConfigurator(certificate.serverTls()));
    for (HttpServer server : List.of(plain, secure)) {
      server.createContext(
          "/",
          exchange -> {
            try (exchange) {
              requests.add(
                  exchange.getRequestMethod()
                      + " "
                      + exchange.getRequestHeaders().getFirst("Host")
                      + " "
                      + exchange.getRequestHeaders().getFirst("Via")
                      + " "
                      + exchange.getRequestHeaders().getFirst("Proxy-Authorization"));
              byte[] answer = "{\"name\":\"a\"}".getBytes(StandardCharsets.UTF_8);
              exchange.getRequestBody().readAllBytes();
              exchange.sendResponseHeaders(200, answer.length);
              exchange.getResponseBody().write(answer);
            }
          });
      server.start();
    }
  }

  @AfterAll
  void stop() {
    if (squid != null) {
      squid.close();
    }
    if (plain != null) {
      plain.stop(0);
    }
    if (secure != null) {
      secure.stop(0);
    }
  }

  @BeforeEach
  void forget() {
    requests.clear();
  }

  private String proxy(String user) {
    return "http://" + user + "127.0.0.1:" + squid.port();
  }

  private static String login(String password) {
    return Squid.USER + ":" + password + "@";
  }

  private CommandRun secureService() {
    return new CommandRun()
        .with("REPRISE_CA", authority)
        .with("REPRISE_URL", "https://" + HOST + ":" + secure.getAddress().getPort());
  }

  private CommandRun plainService() {
    return new CommandRun()
        .with("REPRISE_URL", "http://" + HOST + ":" + plain.getAddress().getPort());
  }

  @Test
  void aSecureServiceIsAskedThroughATunnel() {
    CommandRun.Result result =
        secureService()
            .with("HTTPS_PROXY", proxy(login(Squid.PASSWORD)))
            .execute("topic", "create", "a");

    assertThat(result.err()).isEmpty();
    assertThat(result.exitCode()).isZero();
    // The proxy sees neither what is in the tunnel, nor does the service see its password.
    assertThat(requests)
        .containsExactly("PUT " + HOST + ":" + secure.getAddress().getPort() + " null null");
  }

  @Test
  void anotherServiceIsAskedByARequestToTheProxy() {
    CommandRun.Result result =
        plainService()
            .with("http_proxy", proxy(login(Squid.PASSWORD)))
            .execute("subscribe", "a", "http://192.0.2.1/");

    // The answer came from the service, and is none to this command.
    assertThat(result.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(requests).singleElement().asString().startsWith("POST " + HOST).contains("squid");
  }

  @Test
  void aProxyThatRefusesTheCallerIsNamed() {
    String wrong = proxy(login("secret"));
    String where = "127.0.0.1:" + squid.port();
    String advice = ": write them as http://user:password@host:port\n";

    CommandRun.Result tunnel =
        secureService().with("https_proxy", wrong).execute("topic", "show", "a");
    CommandRun.Result request =
        plainService().with("all_proxy", wrong).execute("topic", "show", "a");
    CommandRun.Result nothing =
        plainService().with("ALL_PROXY", proxy("")).execute("topic", "show", "a");

    assertThat(tunnel.err())
        .isEqualTo(
            "reprise: the proxy "
                + where
                + " of https_proxy refuses its user or password"
                + advice);
    assertThat(request.err())
        .isEqualTo(
            "reprise: the proxy " + where + " of all_proxy refuses its user or password" + advice);
    assertThat(nothing.err())
        .isEqualTo(
            "reprise: the proxy " + where + " of ALL_PROXY asks for a user and password" + advice);
    assertThat(List.of(tunnel.exitCode(), request.exitCode(), nothing.exitCode()))
        .containsOnly(ExitCode.UNREACHABLE);
    assertThat(requests).isEmpty();
  }

  @Test
  void aProxyThatIsAwayIsNamed() {
    try (RefusingPort away = RefusingPort.take()) {
      CommandRun.Result result =
          secureService()
              .with("https_proxy", "127.0.0.1:" + away.number())
              .execute("topic", "show", "a");

      assertThat(result.exitCode()).isEqualTo(ExitCode.UNREACHABLE);
      assertThat(result.err())
          .contains("through the proxy 127.0.0.1:" + away.number() + " of https_proxy")
          .contains("name it in no_proxy");
    }
  }

  @Test
  void aServiceOnThisMachineIsAskedDirectly() {
    CommandRun.Result result =
        new CommandRun()
            .with("REPRISE_URL", "http://127.0.0.1:" + plain.getAddress().getPort())
            .with("http_proxy", proxy(login(Squid.PASSWORD)))
            .execute("topic", "create", "a");

    assertThat(result.exitCode()).isZero();
    assertThat(requests).singleElement().asString().endsWith(" null null");
  }
}
