package dev.reprise.server.peer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.reprise.cluster.group.ShardMap;
import dev.reprise.cluster.peer.NotSentException;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.fixtures.TestCertificate;
import io.netty.channel.ConnectTimeoutException;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import java.nio.file.Path;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node that sends requests to servers that are, or are not, nodes of its cluster. */
@Tag("slow")
class PeersTest {
  @TempDir Path folder;
  private final Vertx vertx = Vertx.vertx();
  private RocksStore store;
  private PeerSecret secret;
  private Peers peers;

  @BeforeEach
  void open() {
    store = RocksStore.open(folder.resolve("store"), RocksSettings.defaults().withReserveBytes(0));
    secret = new PeerSecret(store.view(0), System::currentTimeMillis);
    secret.make();
    peers = peers("http://127.0.0.1:1", null);
  }

  private Peers peers(String ownUrl, PemTrustOptions authority) {
    return new Peers(vertx, null, secret, ownUrl, authority);
  }

  @AfterEach
  void close() {
    peers.close();
    vertx.close().toCompletionStage().toCompletableFuture().join();
    store.close();
  }

  private ShardMap.Node listening(HttpServerOptions options, Consumer<HttpServerRequest> handler) {
    HttpServer server =
        vertx
            .createHttpServer(options)
            .requestHandler(handler::accept)
            .listen(0, "127.0.0.1")
            .toCompletionStage()
            .toCompletableFuture()
            .join();
    String scheme = options.isSsl() ? "https" : "http";
    return new ShardMap.Node("other", scheme + "://127.0.0.1:" + server.actualPort());
  }

  private Peers.Answered forward(Peers from, ShardMap.Node node, MultiMap headers) {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
    while (true) {
      try {
        return from.forward(
                node,
                "0123456789ab",
                "192.0.2.7",
                "PATCH",
                "/v1/x?a=b",
                headers,
                "{}".getBytes(UTF_8))
            .toCompletableFuture()
            .orTimeout(300, TimeUnit.SECONDS)
            .join();
      } catch (CompletionException e) {
        if (!hasNotConnectedInTime(e.getCause()) || System.nanoTime() - end > 0) {
          throw e;
        }
      }
    }
  }

  /** On a machine that stands still; whoever forwards asks again then. */
  private static boolean hasNotConnectedInTime(Throwable failed) {
    return failed instanceof NotSentException
        && (failed.getCause() instanceof TimeoutException
            || failed.getCause() instanceof ConnectTimeoutException);
  }

  private Throwable failure(Peers from, ShardMap.Node node) {
    Throwable failed =
        catchThrowable(() -> forward(from, node, MultiMap.caseInsensitiveMultiMap()));
    assertThat(failed).isInstanceOf(CompletionException.class);
    return failed.getCause();
  }

  @Test
  void aRequestIsPassedOnWithWhatMattersAndNothingElse() {
    AtomicReference<MultiMap> seen = new AtomicReference<>();
    ShardMap.Node node =
        listening(
            new HttpServerOptions(),
            request -> {
              seen.set(MultiMap.caseInsensitiveMultiMap().addAll(request.headers()));
              request.bodyHandler(
                  body ->
                      request
                          .response()
                          .setStatusCode(418)
                          .putHeader("Content-Type", "text/plain")
                          .end(request.method() + " " + request.uri() + " " + body));
            });

    Peers.Answered answered =
        forward(
            peers,
            node,
            MultiMap.caseInsensitiveMultiMap()
                .add("Content-Type", "application/json")
                .add("Idempotency-Key", "k")
                .add("Reprise-Project", "shop")
                .add("traceparent", "00-1-2-01")
                .add("Authorization", "Bearer secret")
                .add("Cookie", "reprise_session=secret")
                .add("Connection", "close")
                .add("Transfer-Encoding", "chunked")
                .add("Reprise-Peer", "forged"));

    assertThat(answered.status()).isEqualTo(418);
    assertThat(new String(answered.body(), UTF_8)).isEqualTo("PATCH /v1/x?a=b {}");
    assertThat(seen.get().names())
        .map(name -> name.toLowerCase(java.util.Locale.ROOT))
        .containsExactlyInAnyOrder(
            "content-type",
            "idempotency-key",
            "reprise-project",
            "traceparent",
            "reprise-peer",
            "host",
            "content-length");
    assertThat(secret.verify(seen.get().get(Peers.HEADER), "PATCH", "/v1/x?a=b"))
        .isEqualTo(new PeerSecret.Sender("0123456789ab", "192.0.2.7"));
  }

  @Test
  void oneThatDoesNotListenHasGotNothing() {
    ShardMap.Node nobody = new ShardMap.Node("nobody", "http://127.0.0.1:1");
    assertThat(failure(peers, nobody))
        .isInstanceOf(NotSentException.class)
        .hasMessageContaining("onnection refused");
  }

  @Test
  void oneThatEndsMidWayMayHaveDoneIt() {
    ShardMap.Node node =
        listening(
            new HttpServerOptions(),
            request -> request.handler(got -> request.connection().close()));
    assertThat(failure(peers, node)).isNotInstanceOf(NotSentException.class);
  }

  @Test
  void certificatesAreThoseOfTheAuthorityAndOfTheHost() throws Exception {
    TestCertificate right = TestCertificate.of(folder, "right", "localhost", "127.0.0.1");
    TestCertificate other = TestCertificate.of(folder, "other", "localhost", "127.0.0.1");
    TestCertificate elsewhere = TestCertificate.of(folder, "elsewhere", "elsewhere.example");
    String own = "https://127.0.0.1:1";

    ShardMap.Node node = listening(tls(right), request -> request.response().end("ok"));
    try (Peers trusting = peers(own, trusting(right));
        Peers usual = peers(own, null)) {
      MultiMap none = MultiMap.caseInsensitiveMultiMap();
      assertThat(new String(forward(trusting, node, none).body(), UTF_8)).isEqualTo("ok");
      assertThat(failure(usual, node)).isInstanceOf(NotSentException.class);
    }
    ShardMap.Node stranger = listening(tls(other), request -> request.response().end("ok"));
    try (Peers trusting = peers(own, trusting(right))) {
      assertThat(failure(trusting, stranger))
          .isInstanceOf(NotSentException.class)
          .hasMessageContaining("certif");
    }
    ShardMap.Node misnamed = listening(tls(elsewhere), request -> request.response().end("ok"));
    try (Peers trusting = peers(own, trusting(elsewhere))) {
      assertThat(failure(trusting, misnamed))
          .isInstanceOf(NotSentException.class)
          .hasMessageContaining("127.0.0.1");
    }
  }

  @Test
  void aNodeWithTlsSendsNothingWithoutIt() {
    AtomicReference<String> seen = new AtomicReference<>("");
    ShardMap.Node plain =
        listening(
            new HttpServerOptions(),
            request -> {
              seen.set(request.uri());
              request.response().end();
            });
    try (Peers secure = peers("https://127.0.0.1:1", null)) {
      assertThat(failure(secure, plain))
          .isInstanceOf(NotSentException.class)
          .hasMessageContaining(plain.url())
          .hasMessageContaining("--node-url");
    }
    assertThat(seen.get()).isEmpty();
  }

  private static HttpServerOptions tls(TestCertificate certificate) {
    return new HttpServerOptions()
        .setSsl(true)
        .setKeyCertOptions(
            new PemKeyCertOptions()
                .setCertPath(certificate.certificatePem().toString())
                .setKeyPath(certificate.keyPem().toString()));
  }

  private static PemTrustOptions trusting(TestCertificate certificate) {
    return new PemTrustOptions().addCertPath(certificate.certificatePem().toString());
  }
}
