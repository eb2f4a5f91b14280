package dev.reprise.server.nodes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cluster.group.ShardMap;
import dev.reprise.delivery.address.AddressGuard;
import dev.reprise.delivery.address.VettedResolver;
import dev.reprise.delivery.host.ShardElsewhereException;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.server.http.Answer;
import dev.reprise.server.http.ApiError;
import dev.reprise.server.http.ApiException;
import dev.reprise.server.http.ApiFailures;
import dev.reprise.server.http.Call;
import dev.reprise.server.http.Caller;
import dev.reprise.server.http.Permit;
import dev.reprise.server.http.Place;
import dev.reprise.server.http.Placement;
import dev.reprise.server.http.Route;
import dev.reprise.server.http.Routes;
import dev.reprise.server.http.Use;
import dev.reprise.server.peer.PeerSecret;
import dev.reprise.server.peer.Peers;
import dev.reprise.server.proxy.RequestSource;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests that the owner of the catalog must answer, whatever becomes of it. */
@Tag("slow")
class ForwardingTest {
  private static final Route CREATE =
      Routes.changing(Use.OPERATOR_CHANGE, Place.CATALOG, "POST", "/v1/projects", call -> null);
  private static final Route LIST =
      Routes.reading(Use.READ, Place.CATALOG, "GET", "/v1/lab/runs", call -> null);

  @TempDir Path folder;
  private final Vertx vertx = Vertx.vertx();
  private final VettedResolver names = VettedResolver.ofThisMachine(AddressGuard.ofOperator());
  private final AtomicInteger requests = new AtomicInteger();
  private RocksStore store;
  private Peers peers;
  private volatile ShardMap.Node owner;
  private volatile boolean here;
  private Forwarding forwarding;

  private final class Known implements Forwarding.Owners {
    @Override
    public boolean isHere(int shard) {
      return here;
    }

    @Override
    public boolean isWritable() {
      return here;
    }

    @Override
    public ShardMap.Node owner(int shard) {
      return owner;
    }
  }

  @BeforeEach
  void open() {
    store = RocksStore.open(folder, RocksSettings.defaults().withReserveBytes(0));
    PeerSecret secret = new PeerSecret(store.view(0), System::currentTimeMillis);
    secret.make();
    peers = new Peers(vertx, null, secret, "http://127.0.0.1:1", null, names);
    forwarding = waiting(60);
  }

  private Forwarding waiting(int maxSeconds) {
    return new Forwarding(
        new Known(), new Placement(null, 4), peers, Duration.ofSeconds(maxSeconds));
  }

  @AfterEach
  void close() {
    peers.close();
    names.close();
    vertx.close().toCompletionStage().toCompletableFuture().join();
    store.close();
  }

  private void owned(Consumer<HttpServerRequest> handler) {
    int port =
        vertx
            .createHttpServer()
            .requestHandler(
                request -> {
                  requests.incrementAndGet();
                  handler.accept(request);
                })
            .listen(0, "127.0.0.1")
            .toCompletionStage()
            .toCompletableFuture()
            .join()
            .actualPort();
    owner = new ShardMap.Node("other", "http://127.0.0.1:" + port);
  }

  private static Call call(String... headers) {
    MultiMap all = MultiMap.caseInsensitiveMultiMap();
    for (int i = 0; i < headers.length; i += 2) {
      all.add(headers[i], headers[i + 1]);
    }
    return new Call(
        Map.of(),
        MultiMap.caseInsensitiveMultiMap(),
        List.of(),
        all,
        "{}".getBytes(UTF_8),
        new Permit(Caller.DEV, null, true, RequestSource.of("192.0.2.1")));
  }

  private Optional<Answer> ask(Route route) {
    CompletionStage<Optional<Answer>> answer =
        forwarding.elsewhere(route, call(), route.method(), route.pattern());
    assertThat(answer).isNotNull();
    return answer.toCompletableFuture().orTimeout(300, TimeUnit.SECONDS).join();
  }

  private ApiError error(Route route) {
    try {
      throw new AssertionError("answered " + ask(route));
    } catch (CompletionException e) {
      return ApiFailures.toError(e);
    }
  }

  private static void answerElsewhere(HttpServerRequest request) {
    request.response().setStatusCode(503).putHeader(Forwarding.ELSEWHERE_HEADER, "1").end();
  }

  @Test
  void whatIsHereIsNotForwarded() {
    here = true;
    assertThat(forwarding.elsewhere(CREATE, call(), "POST", "/v1/projects")).isNull();
  }

  @Test
  void anAnswerComesBackWithoutTheHeadersOfItsConnection() {
    owned(
        request ->
            request
                .response()
                .setStatusCode(201)
                .putHeader("Content-Type", "application/json")
                .putHeader("Retry-After", "7")
                .putHeader("Keep-Alive", "timeout=5")
                .end("{}"));
    Answer answer = ask(CREATE).orElseThrow();
    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.headers()).containsEntry("Retry-After", "7");
    assertThat(answer.headers().keySet())
        .map(name -> name.toLowerCase(java.util.Locale.ROOT))
        .doesNotContain("content-length", "keep-alive", "connection", "transfer-encoding");
    assertThat(answer.mustArrive()).isTrue();
  }

  @Test
  void aChangeWhoseOwnerGoesMidWayIsNotRepeated() {
    owned(request -> request.connection().close());
    ApiError error = error(CREATE);
    assertThat(error.status()).isEqualTo(503);
    assertThat(error.headers()).containsKey("Retry-After");
    assertThat(error.headers()).doesNotContainKey(Forwarding.ELSEWHERE_HEADER);
    assertThat(error.message()).contains("other", "may have been made");
    assertThat(requests).hasValue(1);
  }

  @Test
  void aQuestionWhoseOwnerGoesMidWayIsAskedAgain() {
    owned(
        request -> {
          if (requests.get() == 1) {
            request.connection().close();
          } else {
            request.response().end("ok");
          }
        });
    assertThat(new String(ask(LIST).orElseThrow().body(), UTF_8)).isEqualTo("ok");
  }

  @Test
  void aQuestionIsAnsweredByTheNextOwnerWhileTheFirstStandsStill() {
    forwarding = waiting(3_600);
    owned(request -> request.response().end("next"));
    ShardMap.Node next = owner;
    // It answers nothing, and another one is named.
    owned(request -> owner = next);
    assertThat(new String(ask(LIST).orElseThrow().body(), UTF_8)).isEqualTo("next");
    assertThat(requests).hasValue(2);
  }

  @Test
  void aChangeThatHasNotReachedTheOwnerGoesToTheNextOne() {
    owner = new ShardMap.Node("gone", "http://127.0.0.1:1");
    vertx.setTimer(300, timer -> here = true);
    assertThat(ask(CREATE)).as("for this node").isEmpty();
  }

  @Test
  void aShardWithoutOwnerIsWaitedForAndThenNamed() {
    forwarding = waiting(1);
    ApiError error = error(CREATE);
    assertThat(error.status()).isEqualTo(503);
    assertThat(error.code()).isEqualTo("shard_elsewhere");
    assertThat(error.headers()).containsEntry("Retry-After", "1");
    assertThat(error.message()).contains("shard 0", "has no owner just now");

    owner = new ShardMap.Node("gone", "http://127.0.0.1:1");
    assertThat(error(CREATE).message()).contains("gone", "not reached", "onnection refused");
  }

  @Test
  void aLoopIsCut() {
    forwarding = waiting(1);
    owned(ForwardingTest::answerElsewhere);
    assertThat(error(CREATE).message()).contains("on its way to another node");
    assertThatThrownBy(
            () -> forwarding.elsewhere(CREATE, call(Peers.HEADER, "x"), "POST", "/v1/projects"))
        .isInstanceOfSatisfying(
            ApiException.class,
            refused ->
                assertThat(refused.error().headers()).containsKey(Forwarding.ELSEWHERE_HEADER));
  }

  @Test
  void aChangeThatFailsForWantOfAShardIsNotRepeated() {
    // The topic is made, and what the answer shows of a shard cannot be read.
    Answer failed = ApiFailures.toError(new ShardElsewhereException(3, "moves")).toAnswer();
    owned(
        request -> {
          failed.headers().forEach(request.response()::putHeader);
          request.response().setStatusCode(failed.status()).end();
        });
    assertThat(ask(CREATE).orElseThrow().status()).isEqualTo(503);
    assertThat(requests).hasValue(1);
  }

  @Test
  void aNodeThatIsRefusedSaysWhy() {
    owned(
        request ->
            request.response().setStatusCode(401).putHeader(Peers.REFUSED_HEADER, "1").end());
    ApiError error = error(CREATE);
    assertThat(error.status()).isEqualTo(503);
    assertThat(error.message()).contains("other", "compare their clocks");
  }
}
