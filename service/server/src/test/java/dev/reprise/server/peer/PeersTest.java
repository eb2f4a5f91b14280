package dev.reprise.server.peer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.reprise.cluster.group.ShardMap;
import dev.reprise.cluster.peer.NotSentException;
import dev.reprise.delivery.address.AddressGuard;
import dev.reprise.delivery.address.NameLookup;
import dev.reprise.delivery.address.VettedResolver;
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
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
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
  private static final long TTL_NANOS = TimeUnit.SECONDS.toNanos(30);

  @TempDir Path folder;
  private final Vertx vertx = Vertx.vertx();
  private final AtomicLong nanos = new AtomicLong();
  private final Names server = new Names();
  private final VettedResolver names =
      new VettedResolver(server, AddressGuard.ofOperator(), nanos::get);
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

  /** A name server that gives one answer until it is given another; none while that is null. */
  private static final class Names implements NameLookup {
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private volatile Answer answer;

    void answer(String... addresses) throws UnknownHostException {
      List<InetAddress> all = new ArrayList<>();
      for (String each : addresses) {
        all.add(InetAddress.getByName(each));
      }
      answer = Answer.of(all, TTL_NANOS);
    }

    @Override
    public void lookUp(String host, Consumer<Answer> done) {
      asked.add(host);
      Answer now = answer;
      if (now != null) {
        done.accept(now);
      }
    }

    @Override
    public void close() {}
  }

  private Peers peers(String ownUrl, PemTrustOptions authority) {
    return new Peers(vertx, null, secret, ownUrl, authority, names);
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

  private ShardMap.Node named(ShardMap.Node node) {
    return new ShardMap.Node(
        node.name(), node.url().replace("127.0.0.1", "node-1.reprise.example"));
  }

  private ShardMap.Node answering() {
    return listening(new HttpServerOptions(), request -> request.response().end());
  }

  private void assertReached(ShardMap.Node node) {
    assertThat(forward(peers, node, MultiMap.caseInsensitiveMultiMap()).status()).isEqualTo(200);
  }

  @Test
  void theNameOfANodeIsLookedUpByTheServicesResolver() throws Exception {
    AtomicReference<String> host = new AtomicReference<>();
    ShardMap.Node node =
        named(
            listening(
                new HttpServerOptions(),
                request -> {
                  host.set(request.getHeader("Host"));
                  request.response().end();
                }));
    server.answer("127.0.0.1");

    assertReached(node);

    assertThat(server.asked).containsExactly("node-1.reprise.example");
    assertThat("http://" + host.get()).isEqualTo(node.url());
  }

  @Test
  void aNodeThatHasMovedIsAskedForAgain() throws Exception {
    ShardMap.Node node = named(answering());
    server.answer("127.0.0.2");
    assertThat(failure(peers, node).getCause()).hasMessageContaining("/127.0.0.2:");

    server.answer("127.0.0.1");
    nanos.addAndGet(TTL_NANOS);

    assertReached(node);
  }

  @Test
  void eachAddressOfANodeIsTried() throws Exception {
    ShardMap.Node node = named(answering());
    server.answer("127.0.0.2", "::1", "127.0.0.1");
    assertReached(node);

    // The failure is that of the first.
    ShardMap.Node nobody = new ShardMap.Node("nobody", "http://nobody.reprise.example:1");
    Throwable failure = failure(peers, nobody);
    assertThat(failure).isInstanceOf(NotSentException.class);
    assertThat(failure.getCause()).hasMessageContaining("/127.0.0.2:");
  }

  @Test
  void aNameThatDoesNotExistIsRefusedWithItsSetting() {
    server.answer = NameLookup.Answer.absent("the name does not exist", TTL_NANOS);
    assertThat(failure(peers, new ShardMap.Node("gone", "http://gone.reprise.example:1")))
        .isInstanceOf(NotSentException.class)
        .hasMessage(
            "--node-url: host 'gone.reprise.example' cannot be resolved: the name does not exist");
  }

  @Test
  void aSilentNameServerEndsTheRequest() throws Exception {
    server.answer = null;
    ShardMap.Node node = named(answering());
    assertThat(failure(peers, node))
        .isInstanceOf(NotSentException.class)
        .hasMessage(
            "--node-url: host 'node-1.reprise.example' cannot be resolved:"
                + " the name server did not answer");
  }

  @Test
  void theAddressReachedLastStandsInForASilentNameServer() throws Exception {
    ShardMap.Node node = named(answering());
    server.answer("127.0.0.1");
    assertReached(node);

    nanos.addAndGet(TTL_NANOS);
    server.answer = NameLookup.Answer.failed("the name server did not answer", TTL_NANOS);
    assertReached(node);
    nanos.addAndGet(TTL_NANOS);
    server.answer = NameLookup.Answer.absent("the name does not exist", TTL_NANOS);
    assertThat(failure(peers, node)).hasMessageContaining("does not exist");
    nanos.addAndGet(TTL_NANOS);
    server.answer = NameLookup.Answer.failed("the name server did not answer", TTL_NANOS);
    assertThat(failure(peers, node)).hasMessageContaining("did not answer");
    nanos.addAndGet(TTL_NANOS);
    server.answer("127.0.0.1");
    assertReached(node);
    nanos.addAndGet(TTL_NANOS);
    server.answer = null;
    assertReached(node);
  }

  @Test
  void aCertificateIsForTheNameAndNotTheAddress() throws Exception {
    TestCertificate right = TestCertificate.of(folder, "right", "node-1.reprise.example");
    TestCertificate wrong = TestCertificate.of(folder, "wrong", "127.0.0.1", "localhost");
    server.answer("127.0.0.1");
    MultiMap none = MultiMap.caseInsensitiveMultiMap();
    ShardMap.Node named = named(listening(tls(right), request -> request.response().end("ok")));
    try (Peers trusting = peers("https://127.0.0.1:1", trusting(right))) {
      assertThat(new String(forward(trusting, named, none).body(), UTF_8)).isEqualTo("ok");
    }
    ShardMap.Node other = named(listening(tls(wrong), request -> request.response().end("ok")));
    try (Peers trusting = peers("https://127.0.0.1:1", trusting(wrong))) {
      assertThat(failure(trusting, other))
          .isInstanceOf(NotSentException.class)
          .hasMessageContaining("node-1.reprise.example");
    }
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
