package dev.reprise.delivery.http;

import static dev.reprise.delivery.http.Sending.LONG;
import static dev.reprise.delivery.http.Sending.await;
import static dev.reprise.delivery.http.Sending.sendBriefly;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.address.AddressGuard;
import dev.reprise.delivery.address.EndpointUrl;
import dev.reprise.delivery.address.VettedResolver;
import dev.reprise.delivery.http.HttpOutcome.ConnectionFailed;
import dev.reprise.delivery.http.HttpOutcome.Response;
import dev.reprise.delivery.http.HttpOutcome.TimedOut;
import dev.reprise.fixtures.Nginx;
import dev.reprise.fixtures.TestCertificate;
import dev.reprise.testkit.RefusingPort;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** TLS, HTTP/2 and keep-alive against nginx, with the native TLS engine and with the JDK's. */
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class VertxHttpSenderTlsTest {
  private static final AddressGuard DEV = AddressGuard.allowing(true, List.of());
  private static final String NAME = "hook.example";

  private final Vertx vertx = Vertx.vertx();
  private Nginx nginx;
  private TestCertificate certificate;
  private RefusingPort h2;
  private RefusingPort h1;
  private RefusingPort plain;
  private int h2Port;
  private int h1Port;
  private int plainPort;

  @BeforeAll
  void start(@TempDir(cleanup = CleanupMode.NEVER) Path folder) throws Exception {
    certificate = TestCertificate.of(folder, NAME, NAME);
    h2 = RefusingPort.take();
    h1 = RefusingPort.take();
    plain = RefusingPort.take();
    h2Port = h2.number();
    h1Port = h1.number();
    plainPort = plain.number();
    nginx =
        Nginx.start(
            folder,
            """
            ssl_certificate %4$s;
            ssl_certificate_key %5$s;
            server {
              listen %1$d ssl http2;
              listen %2$d ssl;
              listen %3$d;
              location / {
                return 200 "$server_addr|$host|$ssl_server_name|$server_protocol|$connection";
              }
              location /close { keepalive_timeout 0; return 204; }
            }
            """
                .formatted(
                    h2Port, h1Port, plainPort, certificate.certificatePem(), certificate.keyPem()));
  }

  @AfterAll
  void stop() throws Exception {
    if (nginx != null) {
      nginx.close();
    }
    for (RefusingPort port : new RefusingPort[] {h2, h1, plain}) {
      if (port != null) {
        port.close();
      }
    }
    vertx.close().toCompletionStage().toCompletableFuture().get(300, SECONDS);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void http2IsNegotiatedAndFewConnectionsServeAll(boolean nativeTls) throws Exception {
    try (VertxHttpSender sender = sender(nativeTls, true)) {
      List<String[]> seen = sendAll(sender, "https://" + NAME + ":" + h2Port + "/", 64);
      assertThat(seen)
          .allSatisfy(
              fields ->
                  assertThat(fields).startsWith("127.0.0.8", NAME, NAME, "HTTP/2.0").hasSize(5));
      assertThat(connections(seen)).hasSizeBetween(1, 4);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void http1OverTlsIsKeptAlive(boolean nativeTls) throws Exception {
    try (VertxHttpSender sender = sender(nativeTls, true)) {
      List<String[]> seen = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        seen.addAll(sendAll(sender, "https://" + NAME + ":" + h1Port + "/", 1));
      }
      assertThat(seen).allMatch(fields -> fields[3].equals("HTTP/1.1") && fields[2].equals(NAME));
      assertThat(connections(seen)).hasSize(1);
      assertThat(sendAll(sender, "https://" + NAME + ":" + h1Port + "/", 64)).hasSize(64);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void plainHttpIsHttp1AndKeptAlive(boolean nativeTls) throws Exception {
    try (VertxHttpSender sender = sender(nativeTls, true)) {
      List<String[]> seen = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        seen.addAll(sendAll(sender, "http://" + NAME + ":" + plainPort + "/", 1));
      }
      assertThat(seen).allMatch(fields -> fields[3].equals("HTTP/1.1"));
      assertThat(connections(seen)).hasSize(1);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aCertificateForAnotherNameIsRefusedUnsent(boolean nativeTls) throws Exception {
    try (VertxHttpSender sender = sender(nativeTls, true)) {
      for (String host : List.of("other.example", "127.0.0.1")) {
        ConnectionFailed failed =
            (ConnectionFailed) send(sender, "https://" + host + ":" + h2Port + "/", LONG);
        assertThat(failed.detail())
            .startsWith("TLS handshake with " + host + " at 127.0.0.")
            .containsIgnoringCase("no subject alternative");
        assertThat(failed.neverSent()).isTrue();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aCertificateThatNamesTheHostAsItsSubjectOnlyIsRefused(
      boolean nativeTls, @TempDir Path folder) throws Exception {
    TestCertificate subject = TestCertificate.of(folder, "localhost");
    TestCertificate named = TestCertificate.of(folder, "localhost", "localhost");
    HttpSenderSettings settings = HttpSenderSettings.DEFAULT.withNativeTls(nativeTls);
    HostileServer.Conversation ok =
        peer -> {
          peer.readRequest();
          peer.write("HTTP/1.1 204 No Content\r\n\r\n");
          peer.awaitClose();
        };
    for (TestCertificate shown : List.of(subject, named)) {
      try (HostileServer server = new HostileServer(ok, shown, "http/1.1");
          VertxHttpSender sender =
              sender(settings.withTrustedCertificates(shown.certificatePem()))) {
        HttpOutcome outcome = send(sender, "https://localhost:" + server.port() + "/", LONG);
        if (shown.equals(named)) {
          assertThat(outcome).isInstanceOf(Response.class);
        } else {
          assertThat(describe(outcome))
              .startsWith("TLS handshake with localhost")
              .contains("no subject alternative DNS name");
          assertThat(server.requests()).isEmpty();
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aCertificateThatNobodyVouchesForIsRefusedUnsent(boolean nativeTls) throws Exception {
    try (VertxHttpSender sender = sender(nativeTls, false)) {
      ConnectionFailed failed =
          (ConnectionFailed) send(sender, "https://" + NAME + ":" + h2Port + "/", LONG);
      assertThat(failed.detail())
          .startsWith("TLS handshake with hook.example at 127.0.0.8:" + h2Port + " failed: ")
          .containsIgnoringCase("certification path");
      assertThat(failed.neverSent()).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aServerThatSpeaksNoTlsIsNamed(boolean nativeTls) throws Exception {
    try (VertxHttpSender sender = sender(nativeTls, true)) {
      ConnectionFailed failed =
          (ConnectionFailed) send(sender, "https://" + NAME + ":" + plainPort + "/", LONG);
      assertThat(failed.detail()).startsWith("TLS handshake with hook.example");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aServerThatHangsInTheHandshakeTimesOutUnsent(boolean nativeTls) throws Exception {
    try (VertxHttpSender sender = sender(nativeTls, true);
        HostileServer server = new HostileServer(HostileServer.Peer::awaitClose)) {
      TimedOut timedOut =
          (TimedOut)
              sendBriefly(
                  sender, url("https://localhost:" + server.port() + "/"), "waiting for its turn");
      assertThat(timedOut.detail()).contains("connecting to 127.0.0.1:" + server.port());
      assertThat(timedOut.neverSent()).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aHandshakeThatHangsEndsLongBeforeTheAttemptsTimeout(boolean nativeTls) throws Exception {
    try (HostileServer server = new HostileServer(HostileServer.Peer::awaitClose)) {
      HttpAttempt attempt = Sending.attempt(url("https://localhost:" + server.port() + "/"), LONG);
      long millis = 250;
      HttpOutcome outcome = sendOnce(attempt, nativeTls, millis);
      // The limit holds for the TCP connection as well: that must not be what took long.
      while (describe(outcome).startsWith("connecting to") && millis < LONG.toMillis()) {
        millis *= 2;
        outcome = sendOnce(attempt, nativeTls, millis);
      }
      ConnectionFailed failed = (ConnectionFailed) outcome;
      assertThat(failed.detail())
          .contains("TLS handshake with localhost at 127.0.0.1:" + server.port())
          .contains("timed out after " + millis + "ms");
      assertThat(failed.neverSent()).isTrue();
      assertThat(server.closedByClient.await(300, SECONDS)).isTrue();
    }
  }

  private HttpOutcome sendOnce(HttpAttempt attempt, boolean nativeTls, long connectMillis)
      throws Exception {
    try (VertxHttpSender sender =
        sender(
            HttpSenderSettings.DEFAULT
                .withNativeTls(nativeTls)
                .withConnectTimeout(Duration.ofMillis(connectMillis)))) {
      return Sending.send(sender, attempt);
    }
  }

  private static String describe(HttpOutcome outcome) {
    return outcome instanceof ConnectionFailed failed ? failed.detail() : "";
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aServerThatClosesInTheHandshakeIsNamed(boolean nativeTls) throws Exception {
    try (VertxHttpSender sender = sender(nativeTls, true);
        HostileServer server = new HostileServer(peer -> {})) {
      ConnectionFailed failed =
          (ConnectionFailed) send(sender, "https://127.0.0.1:" + server.port() + "/", LONG);
      assertThat(failed.detail()).contains("127.0.0.1:" + server.port());
      assertThat(failed.neverSent()).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aConnectionThatTheServerClosesAfterEachResponseIsNoFailure(boolean nativeTls)
      throws Exception {
    try (VertxHttpSender sender = sender(nativeTls, true)) {
      for (int i = 0; i < 20; i++) {
        for (int port : new int[] {h1Port, h2Port}) {
          HttpOutcome outcome = send(sender, "https://" + NAME + ":" + port + "/close", LONG);
          assertThat(outcome).isInstanceOf(Response.class);
          assertThat(((Response) outcome).status()).isEqualTo(204);
        }
      }
    }
  }

  private VertxHttpSender sender(boolean nativeTls, boolean trusting) {
    HttpSenderSettings settings =
        HttpSenderSettings.DEFAULT.withNativeTls(nativeTls).withConnectTimeout(LONG);
    return sender(
        trusting ? settings.withTrustedCertificates(certificate.certificatePem()) : settings);
  }

  private VertxHttpSender sender(HttpSenderSettings settings) {
    ScriptedLookup lookup =
        new ScriptedLookup()
            .answer(NAME, 300, "127.0.0.8")
            .answer("other.example", 300, "127.0.0.9");
    return new VertxHttpSender(vertx, new VettedResolver(lookup, DEV, System::nanoTime), settings);
  }

  private static List<String[]> sendAll(VertxHttpSender sender, String url, int count)
      throws Exception {
    List<CompletableFuture<HttpOutcome>> outcomes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      CompletableFuture<HttpOutcome> outcome = new CompletableFuture<>();
      outcomes.add(outcome);
      sender.send(attempt(url, LONG), outcome::complete);
    }
    List<String[]> bodies = new ArrayList<>();
    for (CompletableFuture<HttpOutcome> outcome : outcomes) {
      assertThat(await(outcome)).isInstanceOf(Response.class);
      Response response = (Response) outcome.join();
      assertThat(response.status()).isEqualTo(200);
      bodies.add(new String(response.bodyExcerpt(), UTF_8).split("\\|", -1));
    }
    return bodies;
  }

  private static HttpOutcome send(VertxHttpSender sender, String url, Duration timeout)
      throws Exception {
    return Sending.send(sender, attempt(url, timeout));
  }

  private static Set<String> connections(List<String[]> seen) {
    Set<String> connections = new HashSet<>();
    seen.forEach(fields -> connections.add(fields[4]));
    return connections;
  }

  private static HttpAttempt attempt(String url, Duration timeout) {
    return new HttpAttempt(
        url(url), List.of(), new byte[512], "text/plain", timeout, HttpOptions.DEFAULT);
  }

  private static EndpointUrl url(String text) {
    return EndpointUrl.parse(text, DEV).url();
  }
}
