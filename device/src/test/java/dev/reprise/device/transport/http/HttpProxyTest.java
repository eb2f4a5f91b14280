package dev.reprise.device.transport.http;

import static dev.reprise.device.fixture.RecordingDevice.within;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.credential.Credential;
import dev.reprise.device.error.ErrorKind;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.fixture.RecordingDevice;
import dev.reprise.device.fixture.SocketServer;
import dev.reprise.device.message.Message;
import dev.reprise.device.transport.TlsSettings;
import dev.reprise.fixtures.Await;
import dev.reprise.fixtures.Nginx;
import dev.reprise.fixtures.Squid;
import dev.reprise.fixtures.TestAuthority;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Requests through Squid, as the JVM's selector says. */
@Tag("slow")
class HttpProxyTest {
  private static final String ALLOW = "http_access allow all";

  @TempDir Path folder;

  private final ProxySelector before = ProxySelector.getDefault();

  @AfterEach
  void restoreSelector() {
    ProxySelector.setDefault(before);
  }

  /** Sends what goes to the address through the proxy, and all else past it. */
  private static void select(int port, URI through) {
    InetSocketAddress address = InetSocketAddress.createUnresolved("127.0.0.1", port);
    ProxySelector.setDefault(
        new ProxySelector() {
          @Override
          public List<Proxy> select(URI uri) {
            return List.of(
                uri.equals(through) ? new Proxy(Proxy.Type.HTTP, address) : Proxy.NO_PROXY);
          }

          @Override
          public void connectFailed(URI uri, SocketAddress failed, IOException cause) {}
        });
  }

  private static RecordingDevice device(HttpSettings settings) throws Exception {
    return RecordingDevice.ready(new HttpTransport(settings), Credential.NONE);
  }

  @Test
  void plainRequestsGoThroughTheProxy() throws Exception {
    try (Nginx nginx =
            Nginx.start(
                folder,
                "server { listen @port@; location / { return 409 \"$request_uri, $http_via\"; } }");
        Squid squid = Squid.start(folder, ALLOW)) {
      URI uri = URI.create("http://localhost:" + nginx.port() + "/a?b=c");
      select(squid.port(), uri);
      RecordingDevice device = device(HttpSettings.builder(uri).build());

      for (int i = 0; i < 3; i++) {
        TransportException cause = within(device.send(Message.of("x"))).orElseThrow();
        assertThat(cause).hasMessageContaining(", /a?b=c, 1.1 ").hasMessageContaining("squid");
      }
    }
  }

  @ParameterizedTest
  @EnumSource(HttpClient.Version.class)
  void encryptedRequestsGoThroughATunnel(HttpClient.Version version) throws Exception {
    TestAuthority authority = TestAuthority.in(folder);
    String server =
        """
        server {
          listen @port@ ssl http2;
          ssl_certificate %s;
          ssl_certificate_key %s;
          location / { return 409 "$remote_port $server_protocol"; }
        }
        """
            .formatted(authority.server().certificatePem(), authority.server().keyPem());
    try (Nginx nginx = Nginx.start(folder, server);
        Squid squid = Squid.start(folder, ALLOW)) {
      URI uri = URI.create("https://localhost:" + nginx.port() + "/");
      select(squid.port(), uri);
      RecordingDevice device =
          device(
              HttpSettings.builder(uri)
                  .tls(TlsSettings.system().trusting(authority.certificatePem()))
                  .version(version)
                  .build());

      Set<String> told = new HashSet<>();
      for (int i = 0; i < 3; i++) {
        told.add(within(device.send(Message.of("x"))).orElseThrow().getMessage());
      }
      // Squid hands on the bytes: there is one tunnel.
      assertThat(told).singleElement().asString().endsWith(protocol(version));
    }
  }

  private static String protocol(HttpClient.Version version) {
    return version == HttpClient.Version.HTTP_2 ? "HTTP/2.0" : "HTTP/1.1";
  }

  @Test
  void theProxyLooksTheServersNameUp() throws Exception {
    assertNoTunnel(ALLOW, "5");
  }

  @Test
  void aProxyThatWantsAPasswordIsNamed() throws Exception {
    assertNoTunnel(Squid.AUTHENTICATION, "407");
  }

  @Test
  void aProxyThatIsSilentIsLeftAndTriedAgain() throws Exception {
    CountDownLatch ended = new CountDownLatch(1);
    try (SocketServer silent =
        SocketServer.start(
            socket -> {
              boolean isEnd = socket.getInputStream().read() < 0;
              assertThat(isEnd).isTrue();
              ended.countDown();
            })) {
      URI uri = URI.create("https://hub.invalid/");
      select(silent.port(), uri);
      HttpSettings settings =
          HttpSettings.builder(uri)
              .version(HttpClient.Version.HTTP_2)
              .requestTimeout(Duration.ofMillis(300))
              .build();
      var unused = device(settings).send(Message.of("x"));
      // After 15 seconds, the device ends the connection.
      assertThat(ended.await(5, TimeUnit.MINUTES)).isTrue();

      RecordingDevice next = device(settings);
      var unusedToo = next.send(Message.of("x"));
      assertThat(within(next.lost).code()).isEqualTo("connect-timeout");
      Await.until("the proxy is asked again", () -> silent.requests().size() >= 2);
    }
  }

  @Test
  void aSelectorThatFailsIsNamed() throws Exception {
    ProxySelector.setDefault(
        new ProxySelector() {
          @Override
          public List<Proxy> select(URI uri) {
            throw new IllegalStateException("no script");
          }

          @Override
          public void connectFailed(URI uri, SocketAddress failed, IOException cause) {}
        });
    RecordingDevice device =
        RecordingDevice.connect(
            new HttpTransport(HttpSettings.builder(URI.create("http://hub.invalid/")).build()),
            Credential.NONE);

    assertThat(within(device.lost)).hasMessageContaining("no script");
  }

  private void assertNoTunnel(String rules, String status) throws Exception {
    try (Squid squid = Squid.start(folder, rules)) {
      URI uri = URI.create("https://hub.invalid/");
      select(squid.port(), uri);
      RecordingDevice device = device(HttpSettings.builder(uri).build());
      var unused = device.send(Message.of("x"));

      TransportException cause = within(device.lost);
      assertThat(cause)
          .hasMessageContaining("the proxy 127.0.0.1:" + squid.port())
          .hasMessageContaining("opens no tunnel: " + status);
      assertThat(cause.kind()).isEqualTo(ErrorKind.NETWORK);
      assertThat(cause.isRetryable()).isTrue();
    }
  }
}
