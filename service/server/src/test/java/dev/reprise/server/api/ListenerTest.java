package dev.reprise.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.fixtures.Await;
import dev.reprise.server.access.AuditTrail;
import dev.reprise.server.http.Answer;
import dev.reprise.server.http.ByteBudget;
import dev.reprise.server.http.ClientConnections;
import dev.reprise.server.http.Description;
import dev.reprise.server.http.Place;
import dev.reprise.server.http.Route;
import dev.reprise.server.http.Router;
import dev.reprise.server.http.Routes;
import dev.reprise.server.http.Use;
import dev.reprise.server.proxy.ProxySettings;
import dev.reprise.server.watch.Metrics;
import io.vertx.core.Deployable;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A listener with operations that are slow, or fail. */
class ListenerTest {
  private static final Answer EMPTY = new Answer(200, "", new byte[0], Map.of());

  private final ClientConnections connections =
      new ClientConnections(100, Duration.ofDays(1), Duration.ofSeconds(10));
  private final Vertx vertx = Vertx.builder().withTransport(connections.transport()).build();
  private final ByteBudget requests = new ByteBudget(1 << 20);
  private final CountDownLatch mayEnd = new CountDownLatch(1);
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private int port;

  private static Route route(String pattern, Route.RunsOn thread, Route.Operation operation) {
    return new Route(
        "POST",
        pattern,
        Use.OPEN,
        Place.ANYWHERE,
        Route.JSON,
        1000,
        thread,
        operation,
        Description.NONE);
  }

  private static Route throwing(String pattern, Route.RunsOn thread, Error error) {
    return route(
        pattern,
        thread,
        call -> {
          throw error;
        });
  }

  @BeforeEach
  void listen() {
    Router router =
        new Router(
            List.of(
                route(
                    "/slow",
                    Route.RunsOn.WORKER,
                    call -> {
                      try {
                        mayEnd.await();
                      } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                      }
                      return CompletableFuture.completedFuture(EMPTY);
                    }),
                throwing("/memory", Route.RunsOn.WORKER, new OutOfMemoryError("on purpose")),
                throwing("/linkage", Route.RunsOn.EVENT_LOOP, new LinkageError("on purpose")),
                route(
                    "/fast",
                    Route.RunsOn.EVENT_LOOP,
                    call -> CompletableFuture.completedFuture(EMPTY)),
                Routes.open("/probe", call -> EMPTY)));
    WorkerExecutor workers = vertx.createSharedWorkerExecutor("test-workers", 2);
    WorkerExecutor probes = vertx.createSharedWorkerExecutor("test-probes", 1);
    AtomicInteger actual = new AtomicInteger();
    Deployable deployable =
        context ->
            new Listener(
                    vertx,
                    context,
                    null,
                    router,
                    null,
                    new AuditTrail(null, null, null),
                    new Listener.Budgets(requests, new ByteBudget(1 << 20)),
                    new Listener.Threads(workers, probes),
                    connections,
                    new Metrics(10, Duration.ZERO, System::nanoTime),
                    null,
                    ProxySettings.NONE)
                .listen("127.0.0.1", 0)
                .onSuccess(actual::set);
    vertx.deployVerticle(deployable).await();
    port = actual.get();
  }

  @AfterEach
  void stop() {
    mayEnd.countDown();
    vertx.close().await();
  }

  private CompletableFuture<Integer> ask(String method, String path, String body) {
    HttpRequest.BodyPublisher sent =
        body.isEmpty()
            ? HttpRequest.BodyPublishers.noBody()
            : HttpRequest.BodyPublishers.ofString(body);
    return client
        .sendAsync(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofMinutes(5))
                .header("Content-Type", Route.JSON)
                .method(method, sent)
                .build(),
            HttpResponse.BodyHandlers.discarding())
        .thenApply(HttpResponse::statusCode);
  }

  @Test
  void probesAreAnsweredWhileAllWorkersAreBusy() {
    List<CompletableFuture<Integer>> slow = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      slow.add(ask("POST", "/slow", "{}"));
    }
    Await.value("requests that are held", requests::held, held -> held == 8);
    assertThat(ask("GET", "/probe", "").join()).isEqualTo(200);
    assertThat(slow).noneMatch(CompletableFuture::isDone);
    mayEnd.countDown();
    assertThat(slow).allMatch(answer -> answer.join() == 200);
  }

  @Test
  void errorsOfTheMachineAreAnsweredAndHoldNothing() {
    assertThat(ask("POST", "/memory", "{}").join()).isEqualTo(500);
    assertThat(ask("POST", "/linkage", "{}").join()).isEqualTo(500);
    assertThat(requests.held()).isZero();
  }

  /** A whole request, whose answer is read, and a connection that stays open after it. */
  private Socket kept() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(300_000);
    askOn(socket);
    return socket;
  }

  private static void askOn(Socket socket) throws IOException {
    // The body comes with empty lines after it, which belong to no head.
    send(socket, "POST /fast HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n");
    send(socket, "Content-Length: 2\r\n\r\n");
    send(socket, "{}");
    send(socket, "\r\n");
    StringBuilder answer = new StringBuilder();
    while (answer.indexOf("\r\n\r\n") < 0) {
      int read = socket.getInputStream().read();
      assertThat(read).as("after: " + answer).isNotNegative();
      answer.append((char) read);
    }
    assertThat(answer.toString()).startsWith("HTTP/1.1 200 ").containsIgnoringCase("length: 0");
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    socket.getOutputStream().flush();
  }

  /** Sends a byte now and then, until the listener closes. */
  private static void trickle(Socket socket) throws IOException {
    socket.setSoTimeout(100);
    long giveUp = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
    while (true) {
      assertThat(System.nanoTime()).as("still open").isLessThan(giveUp);
      try {
        send(socket, "a");
        assertThat(socket.getInputStream().read()).isEqualTo(-1);
        return;
      } catch (SocketTimeoutException e) {
        // Still open.
      } catch (SocketException e) {
        return;
      }
    }
  }

  @Test
  void headsThatTrickleAreCutAndIdleConnectionsAreNot() throws IOException {
    try (Socket idle = kept();
        Socket fresh = new Socket(InetAddress.getLoopbackAddress(), port);
        Socket kept = kept()) {
      send(kept, "GET /probe HTTP/1.1\r\nHost: a\r\nX: ");
      trickle(kept);
      trickle(fresh);
      askOn(idle);
    }
  }
}
