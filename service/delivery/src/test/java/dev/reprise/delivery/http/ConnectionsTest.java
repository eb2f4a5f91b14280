package dev.reprise.delivery.http;

import static dev.reprise.delivery.http.Sending.LONG;
import static dev.reprise.delivery.http.Sending.attempt;
import static dev.reprise.delivery.http.Sending.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.address.AddressGuard;
import dev.reprise.delivery.address.EndpointUrl;
import dev.reprise.delivery.address.VettedResolver;
import dev.reprise.delivery.http.HttpOutcome.NotStarted;
import dev.reprise.delivery.http.HttpOutcome.Response;
import dev.reprise.fixtures.Await;
import dev.reprise.fixtures.TestCertificate;
import io.vertx.core.Vertx;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.net.PemKeyCertOptions;
import java.io.Closeable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who gets a connection, and who waits for one. */
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConnectionsTest {
  private static final AddressGuard DEV = AddressGuard.allowing(true, List.of());

  /** Long enough for the machine to hand over an attempt, short enough to wait for. */
  private static final Duration BRIEF = Duration.ofMillis(300);

  private final Vertx vertx = Vertx.vertx();
  private TestCertificate certificate;

  /** A server of both protocols: {@code /hang} is answered when the test says so. */
  private final class Endpoint implements Closeable {
    private final Queue<HttpServerResponse> hanging = new ConcurrentLinkedQueue<>();
    private final Set<Object> connections = ConcurrentHashMap.newKeySet();
    private final HttpServer server;
    private final boolean tls;

    Endpoint(boolean tls, int streams) throws Exception {
      this.tls = tls;
      HttpServerOptions options =
          new HttpServerOptions()
              .setHost("127.0.0.1")
              .setPort(0)
              .setAcceptBacklog(8192)
              .setInitialSettings(new Http2Settings().setMaxConcurrentStreams(streams));
      if (tls) {
        options
            .setSsl(true)
            .setUseAlpn(true)
            .setKeyCertOptions(
                new PemKeyCertOptions()
                    .addCertPath(certificate.certificatePem().toString())
                    .addKeyPath(certificate.keyPem().toString()));
      }
      server =
          vertx
              .createHttpServer(options)
              .requestHandler(
                  request -> {
                    connections.add(request.connection());
                    if (request.path().equals("/hang")) {
                      hanging.add(request.response());
                    } else {
                      request.response().setStatusCode(204).end();
                    }
                  })
              .listen()
              .toCompletionStage()
              .toCompletableFuture()
              .get(300, SECONDS);
    }

    EndpointUrl url(String path) {
      String scheme = tls ? "https://localhost:" : "http://127.0.0.1:";
      return EndpointUrl.parse(scheme + server.actualPort() + path, DEV).url();
    }

    void awaitHanging(int count) {
      awaitHanging(count, List.of());
    }

    void awaitHanging(int count, List<CompletableFuture<HttpOutcome>> attempts) {
      Await.until(
          count + " attempts have arrived",
          () -> {
            List<HttpOutcome> ended =
                attempts.stream()
                    .filter(CompletableFuture::isDone)
                    .map(CompletableFuture::join)
                    .toList();
            return hanging.size() + ", while these ended: " + ended;
          },
          () -> hanging.size() >= count);
    }

    void answer() {
      for (HttpServerResponse next = hanging.poll(); next != null; next = hanging.poll()) {
        HttpServerResponse response = next;
        vertx.runOnContext(now -> response.setStatusCode(204).end());
      }
    }

    @Override
    public void close() {
      server.close().toCompletionStage().toCompletableFuture().join();
    }
  }

  @BeforeAll
  void certify(@TempDir Path folder) throws Exception {
    certificate = TestCertificate.of(folder, "localhost", "localhost");
  }

  @AfterAll
  void stop() throws Exception {
    vertx.close().toCompletionStage().toCompletableFuture().get(300, SECONDS);
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource({"false, 1, 1900", "true, 100, 1900", "true, 1, 40"})
  void hangingAttemptsHoldUpNobodyOnTheirHost(boolean tls, int streams, int count)
      throws Exception {
    try (Endpoint endpoint = new Endpoint(tls, streams);
        VertxHttpSender sender = sender(HttpSenderSettings.DEFAULT)) {
      List<CompletableFuture<HttpOutcome>> hanging = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        hanging.add(send(sender, endpoint.url("/hang"), LONG));
      }
      endpoint.awaitHanging(count, hanging);
      for (int i = 0; i < 50; i++) {
        assertThat(status(send(sender, endpoint.url("/ok"), LONG))).isEqualTo(204);
      }
      if (streams == 100) {
        assertThat(endpoint.connections).hasSizeBetween(19, 30);
      }
      endpoint.answer();
      for (CompletableFuture<HttpOutcome> outcome : hanging) {
        assertThat(status(outcome)).isEqualTo(204);
      }
    }
  }

  @Test
  void waitingForOurOwnConnectionsIsNoAttempt() throws Exception {
    try (Endpoint endpoint = new Endpoint(false, 1);
        VertxHttpSender sender = sender(HttpSenderSettings.DEFAULT.withConnections(10, 1))) {
      CompletableFuture<HttpOutcome> first = send(sender, endpoint.url("/hang"), LONG);
      endpoint.awaitHanging(1);
      NotStarted notStarted = (NotStarted) await(send(sender, endpoint.url("/ok"), BRIEF));
      assertThat(notStarted.detail()).startsWith("no connection was free for ");
      assertThat(first).isNotDone();
      endpoint.answer();
      assertThat(status(first)).isEqualTo(204);
      assertThat(status(send(sender, endpoint.url("/ok"), LONG))).isEqualTo(204);
    }
  }

  @Test
  void theTimeOfAnAttemptBeginsWithItsConnection() throws Exception {
    try (Endpoint endpoint = new Endpoint(false, 1);
        VertxHttpSender sender = sender(HttpSenderSettings.DEFAULT.withConnections(1, 1))) {
      CompletableFuture<HttpOutcome> first = send(sender, endpoint.url("/hang"), LONG);
      endpoint.awaitHanging(1);
      long beganNanos = System.nanoTime();
      CompletableFuture<HttpOutcome> held = send(sender, endpoint.url("/ok"), LONG);
      // It comes after the other one, so that has been held for as long at the least.
      assertThat(await(send(sender, endpoint.url("/ok"), BRIEF))).isInstanceOf(NotStarted.class);
      endpoint.answer();
      assertThat(status(first)).isEqualTo(204);
      Response response = (Response) await(held);
      assertThat(response.latencyNanos())
          .isLessThanOrEqualTo(System.nanoTime() - beganNanos - BRIEF.toNanos());
    }
  }

  @Test
  void aConnectionThatNobodyUsesGivesWay() throws Exception {
    List<Endpoint> endpoints = new ArrayList<>();
    try (VertxHttpSender sender = sender(HttpSenderSettings.DEFAULT.withConnections(1, 1))) {
      for (int i = 0; i < 8; i++) {
        // On one lane or another: the ports decide.
        Endpoint endpoint = new Endpoint(false, 1);
        endpoints.add(endpoint);
        assertThat(status(send(sender, endpoint.url("/ok"), LONG))).isEqualTo(204);
      }
    } finally {
      endpoints.forEach(Endpoint::close);
    }
  }

  @Test
  void nobodyOfThoseHeldUpTakesItAll() throws Exception {
    try (Endpoint crowded = new Endpoint(false, 1);
        Endpoint other = new Endpoint(false, 1);
        VertxHttpSender sender = sender(HttpSenderSettings.DEFAULT.withConnections(4, 4))) {
      List<CompletableFuture<HttpOutcome>> hanging = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        hanging.add(send(sender, crowded.url("/hang"), BRIEF));
      }
      // While 46 wait for the four of the other endpoint.
      assertThat(status(send(sender, other.url("/ok"), LONG))).isEqualTo(204);
      for (CompletableFuture<HttpOutcome> outcome : hanging) {
        assertThat(await(outcome)).isNotInstanceOf(Response.class);
      }
    }
  }

  @Test
  void anEndpointThatHasNotUsedItsConnectionForLongLosesIt() throws Exception {
    HttpSenderSettings settings = HttpSenderSettings.DEFAULT.withKeepAlive(Duration.ofSeconds(1));
    try (HostileServer server =
            new HostileServer(
                peer -> {
                  peer.readRequest();
                  peer.write("HTTP/1.1 204 No Content\r\n\r\n");
                  peer.awaitClose();
                });
        VertxHttpSender sender = sender(settings)) {
      assertThat(status(send(sender, Sending.url(server), LONG))).isEqualTo(204);
      assertThat(server.closedByClient.await(300, SECONDS)).isTrue();
    }
  }

  private VertxHttpSender sender(HttpSenderSettings settings) {
    VettedResolver resolver = new VettedResolver(new ScriptedLookup(), DEV, System::nanoTime);
    return new VertxHttpSender(
        vertx,
        resolver,
        settings.withConnectTimeout(LONG).withTrustedCertificates(certificate.certificatePem()));
  }

  private static CompletableFuture<HttpOutcome> send(
      VertxHttpSender sender, EndpointUrl url, Duration timeout) {
    CompletableFuture<HttpOutcome> outcome = new CompletableFuture<>();
    sender.send(attempt(url, timeout), outcome::complete);
    return outcome;
  }

  private static int status(CompletableFuture<HttpOutcome> outcome) throws Exception {
    HttpOutcome ended = await(outcome);
    assertThat(ended).isInstanceOf(Response.class);
    return ((Response) ended).status();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatMayNotBeginAfterItHasWaitedIsNotSent(boolean http2) throws Exception {
    try (Endpoint endpoint = new Endpoint(http2, 1);
        VertxHttpSender sender = sender(HttpSenderSettings.DEFAULT.withConnections(1, 1))) {
      CompletableFuture<HttpOutcome> first = send(sender, endpoint.url("/hang"), LONG);
      endpoint.awaitHanging(1);
      AtomicBoolean held = new AtomicBoolean(true);
      CompletableFuture<HttpOutcome> waiting = new CompletableFuture<>();
      HttpAttempt plain = attempt(endpoint.url("/hang"), LONG);
      sender.send(
          new HttpAttempt(
              plain.url(),
              plain.headers(),
              plain.body(),
              plain.contentType(),
              plain.timeout(),
              plain.options(),
              held::get),
          waiting::complete);
      held.set(false);
      endpoint.answer();

      assertThat(status(first)).isEqualTo(204);
      assertThat(await(waiting)).isInstanceOf(NotStarted.class);
      assertThat(status(send(sender, endpoint.url("/ok"), LONG))).isEqualTo(204);
      assertThat(endpoint.hanging).isEmpty();
    }
  }
}
