package dev.reprise.device.transport.http;

import static dev.reprise.device.fixture.RecordingDevice.within;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.credential.Credential;
import dev.reprise.device.error.ErrorKind;
import dev.reprise.device.error.ErrorScope;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.fixture.RecordingDevice;
import dev.reprise.device.fixture.SocketServer;
import dev.reprise.device.message.Message;
import dev.reprise.device.transport.TlsSettings;
import dev.reprise.fixtures.Nginx;
import dev.reprise.fixtures.TestAuthority;
import dev.reprise.fixtures.TestAuthority.Identity;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** HTTPS against nginx, which tells in its answer what it has seen. */
@Tag("slow")
class HttpTlsTest {
  /** The answer is an error, so that its text comes back in the exception. */
  private static final String TELLING =
      """
      server {
        listen @port@ ssl http2;
        ssl_certificate %s;
        ssl_certificate_key %s;
        %s
        location / { return 503 "$server_protocol $ssl_client_s_dn $http_idempotency_key"; }
      }
      """;

  private static final String ONE_STREAM =
      """
      server {
        listen @port@ ssl http2;
        http2_max_concurrent_streams 1;
        ssl_certificate %s;
        ssl_certificate_key %s;
        location / { proxy_pass http://127.0.0.1:%s; }
      }
      """;

  @TempDir Path folder;

  private TestAuthority authority;

  @BeforeEach
  void makeAuthority() throws Exception {
    authority = TestAuthority.in(folder);
  }

  @ParameterizedTest
  @EnumSource(HttpClient.Version.class)
  void bothVersionsAreSpokenOverTls(HttpClient.Version version) throws Exception {
    try (Nginx nginx = start(authority.server(), "")) {
      TlsSettings tls = TlsSettings.system().trusting(authority.certificatePem());

      TransportException told =
          within(send(nginx, tls, version, Message.builder().id("m-1").build())).orElseThrow();

      String protocol = version == HttpClient.Version.HTTP_2 ? "HTTP/2.0" : "HTTP/1.1";
      assertThat(told.getMessage()).contains(protocol).endsWith("m-1");
    }
  }

  @Test
  void clientCertificateIsShown() throws Exception {
    try (Nginx nginx = start(authority.server(), verified())) {
      Identity identity = authority.client("device-7");
      TlsSettings tls =
          TlsSettings.system()
              .trusting(authority.certificatePem())
              .identifiedBy(identity.certificatePem(), identity.keyPem());

      TransportException told =
          within(send(nginx, tls, HttpClient.Version.HTTP_1_1, Message.of("x"))).orElseThrow();

      assertThat(told.getMessage()).contains("CN=device-7");
    }
  }

  @Test
  void answerToAMissingClientCertificateIsTold() throws Exception {
    // nginx finishes the handshake and answers 400.
    try (Nginx nginx = start(authority.server(), verified())) {
      TlsSettings tls = TlsSettings.system().trusting(authority.certificatePem());

      TransportException told =
          within(send(nginx, tls, HttpClient.Version.HTTP_1_1, Message.of("x"))).orElseThrow();

      assertThat(told.code()).isEqualTo("400");
      assertThat(told.getMessage()).contains("No required SSL certificate was sent");
    }
  }

  @Test
  void expiredServerIsLostForItsCertificate() throws Exception {
    try (Nginx nginx = start(authority.expiredServer(), "")) {
      assertCertificateRejected(nginx, TlsSettings.system().trusting(authority.certificatePem()));
    }
  }

  @Test
  void serverOfAnotherAuthorityIsLostForItsCertificate() throws Exception {
    try (Nginx nginx = start(authority.server(), "")) {
      assertCertificateRejected(
          nginx, TlsSettings.system().trusting(TestAuthority.strangerIn(folder).certificatePem()));
    }
  }

  @Test
  void requestBeyondTheStreamsOfTheServerIsRetried() throws Exception {
    AtomicInteger requests = new AtomicInteger();
    CountDownLatch occupied = new CountDownLatch(1);
    SocketServer.Script firstOnly =
        socket -> {
          if (requests.incrementAndGet() == 1) {
            SocketServer.answering("HTTP/1.1 204 Done\r\n\r\n").answer(socket);
            socket.close();
          } else {
            occupied.countDown();
          }
        };
    try (SocketServer behind = SocketServer.start(firstOnly);
        Nginx nginx =
            Nginx.start(
                folder,
                ONE_STREAM.formatted(
                    authority.server().certificatePem(),
                    authority.server().keyPem(),
                    behind.port()))) {
      RecordingDevice device =
          device(
              nginx,
              TlsSettings.system().trusting(authority.certificatePem()),
              HttpClient.Version.HTTP_2);
      assertThat(within(device.send(Message.of("1")))).isEmpty();
      CompletableFuture<Optional<TransportException>> second = device.send(Message.of("2"));
      // The first stream may count for a moment after its answer.
      for (int looks = 0; !occupied.await(10, TimeUnit.MILLISECONDS); looks++) {
        assertThat(looks).as("looks whether the second request has come").isLessThan(6000);
        if (second.isDone()) {
          assertThat(second.join().orElseThrow().code()).isEqualTo("too-many-streams");
          second = device.send(Message.of("2"));
        }
      }

      TransportException cause = within(device.send(Message.of("3"))).orElseThrow();

      assertThat(cause.code()).isEqualTo("too-many-streams");
      assertThat(cause.isRetryable()).isTrue();
      assertThat(second).isNotDone();
      assertThat(device.lost).isNotDone();
    }
  }

  @Test
  void devicesShareOneConnectionOfHttp2() throws Exception {
    try (Nginx nginx = startTelling("$connection", "")) {
      TlsSettings tls = TlsSettings.system().trusting(authority.certificatePem());
      Set<String> connections = new HashSet<>();
      for (int i = 0; i < 20; i++) {
        RecordingDevice device = device(nginx, tls, HttpClient.Version.HTTP_2);
        CompletableFuture<Optional<TransportException>> first = device.send(Message.of("1"));
        CompletableFuture<Optional<TransportException>> second = device.send(Message.of("2"));
        connections.add(within(first).orElseThrow().getMessage());
        connections.add(within(second).orElseThrow().getMessage());
      }

      assertThat(connections).hasSize(1);
    }
  }

  @Test
  void aConnectionThatTheServerEndsIsReplaced() throws Exception {
    // After two requests, nginx says GOAWAY.
    try (Nginx nginx = startTelling("$connection", "keepalive_requests 2;")) {
      TlsSettings tls = TlsSettings.system().trusting(authority.certificatePem());
      RecordingDevice device = device(nginx, tls, HttpClient.Version.HTTP_2);
      Set<String> connections = new HashSet<>();
      for (int i = 0; i < 12; i++) {
        connections.add(within(device.send(Message.of("x"))).orElseThrow().getMessage());
      }

      assertThat(connections).hasSizeGreaterThanOrEqualTo(6);
      assertThat(device.lost).isNotDone();
    }
  }

  @ParameterizedTest
  @EnumSource(HttpClient.Version.class)
  void answerThatComesBeforeTheBodyIsSentCounts(HttpClient.Version version) throws Exception {
    // Over HTTP/1.1, nginx resets the connection at once.
    String lingering = version == HttpClient.Version.HTTP_2 ? "on" : "off";
    try (Nginx nginx =
        startTelling(
            "",
            "client_max_body_size 1k; keepalive_timeout 0; lingering_close " + lingering + ";")) {
      TlsSettings tls = TlsSettings.system().trusting(authority.certificatePem());

      TransportException told =
          within(send(nginx, tls, version, Message.of(new byte[20 << 20]))).orElseThrow();

      assertThat(told.code()).isEqualTo("413");
      assertThat(told.scope()).isEqualTo(ErrorScope.OPERATION);
    }
  }

  @Test
  void largeBodiesOnOneConnectionDoNotHoldEachOtherUp() throws Exception {
    try (SocketServer behind =
            SocketServer.start(
                SocketServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
        Nginx nginx =
            Nginx.start(
                folder,
                ONE_STREAM
                    .replace("streams 1;", "streams 16; client_max_body_size 1m;")
                    .formatted(
                        authority.server().certificatePem(),
                        authority.server().keyPem(),
                        behind.port()))) {
      TlsSettings tls = TlsSettings.system().trusting(authority.certificatePem());
      HttpTransport transport =
          new HttpTransport(
              settings(nginx, tls, HttpClient.Version.HTTP_2)
                  .parallelRequests(16)
                  .requestTimeout(Duration.ofHours(1))
                  .build());
      RecordingDevice device = RecordingDevice.ready(transport, Credential.NONE);
      for (int round = 0; round < 3; round++) {
        List<CompletableFuture<Optional<TransportException>>> outcomes = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
          outcomes.add(device.send(Message.of(new byte[300 << 10])));
        }
        for (CompletableFuture<Optional<TransportException>> outcome : outcomes) {
          assertThat(within(outcome)).isEmpty();
        }
      }
    }
  }

  private static void assertCertificateRejected(Nginx nginx, TlsSettings tls) throws Exception {
    RecordingDevice device = device(nginx, tls, HttpClient.Version.HTTP_1_1);
    var unused = device.send(Message.of("x"));

    TransportException cause = within(device.lost);
    assertThat(cause.code()).isEqualTo("tls-server-certificate");
    assertThat(cause.kind()).isEqualTo(ErrorKind.CREDENTIAL);
    assertThat(cause.isRetryable()).isTrue();
  }

  private Nginx startTelling(String text, String more) throws Exception {
    return Nginx.start(
        folder,
        TELLING
            .replace("$server_protocol $ssl_client_s_dn $http_idempotency_key", text)
            .formatted(authority.server().certificatePem(), authority.server().keyPem(), more));
  }

  private Nginx start(Identity server, String more) throws Exception {
    return Nginx.start(folder, TELLING.formatted(server.certificatePem(), server.keyPem(), more));
  }

  private String verified() {
    return "ssl_client_certificate " + authority.certificatePem() + "; ssl_verify_client on;";
  }

  private static CompletableFuture<Optional<TransportException>> send(
      Nginx nginx, TlsSettings tls, HttpClient.Version version, Message message) throws Exception {
    return device(nginx, tls, version).send(message);
  }

  private static RecordingDevice device(Nginx nginx, TlsSettings tls, HttpClient.Version version)
      throws Exception {
    return RecordingDevice.ready(
        new HttpTransport(settings(nginx, tls, version).parallelRequests(2).build()),
        Credential.NONE);
  }

  private static HttpSettings.Builder settings(
      Nginx nginx, TlsSettings tls, HttpClient.Version version) {
    return HttpSettings.builder(URI.create("https://localhost:" + nginx.port() + "/"))
        .tls(tls)
        .version(version);
  }
}
