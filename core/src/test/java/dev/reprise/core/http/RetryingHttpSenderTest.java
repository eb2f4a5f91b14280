package dev.reprise.core.http;

import static dev.reprise.core.http.ScriptedServer.Answer.body;
import static dev.reprise.core.http.ScriptedServer.Answer.status;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.sun.net.httpserver.HttpExchange;
import dev.reprise.core.StopReason;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.budget.ScopedBudgets;
import dev.reprise.core.budget.TokenPrices;
import dev.reprise.core.http.ScriptedServer.Answer;
import dev.reprise.core.http.ScriptedServer.Seen;
import dev.reprise.core.retry.Hedging;
import dev.reprise.core.retry.Retry;
import dev.reprise.core.retry.RetryBuilder;
import dev.reprise.core.retry.RetryEvent;
import dev.reprise.core.retry.RetryEvent.Kind;
import dev.reprise.core.retry.RetryStoppedException;
import dev.reprise.core.strategy.StandardRetryStrategy;
import dev.reprise.testkit.RecordingListener;
import dev.reprise.testkit.RefusingPort;
import dev.reprise.testkit.VirtualClock;
import dev.reprise.testkit.VirtualScheduler;
import dev.reprise.testkit.VirtualTime;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Waits pass in virtual time; servers and connections are real. */
@Timeout(300)
class RetryingHttpSenderTest {
  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
  private static final String LONG_TEXT = "all work and no play ".repeat(50_000);

  private final VirtualScheduler scheduler = new VirtualScheduler(new VirtualClock());
  private final VirtualTime time = new VirtualTime(scheduler);
  private final RecordingListener listener = new RecordingListener();
  private final List<AutoCloseable> opened = new ArrayList<>();

  @AfterEach
  void closeServers() throws Exception {
    assertThat(Thread.interrupted()).isFalse();
    for (AutoCloseable server : opened) {
      server.close();
    }
  }

  // What is retried, and when.

  @Test
  void aGetIsRepeatedAfterA503AndTheBackoff() throws Exception {
    ScriptedServer server = server(status(503), status(200));

    HttpResponse<String> response = sender().send(get(server), BodyHandlers.ofString());

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).isEqualTo("body of 200");
    assertThat(time.waits()).containsExactly(ofSeconds(1));
    assertThat(server.seen()).hasSize(2);
  }

  @Test
  void aPostIsRepeatedAfterA503WithRetryAfterAndNotBeforeThat() throws Exception {
    ScriptedServer server = server(status(503, "Retry-After", "7"), status(200));

    HttpResponse<String> response = sender().send(post(server), BodyHandlers.ofString());

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(time.waits()).containsExactly(ofSeconds(7));
    assertThat(server.seen()).extracting(Seen::body).containsExactly("hello", "hello");
  }

  @Test
  void aDateInRetryAfterCountsFromTheDateOfTheResponse() throws Exception {
    RawServer server =
        raw(
            RawServer.Script.says(
                """
                HTTP/1.1 503 Service Unavailable\r
                Date: Sun, 06 Nov 1994 08:49:37 GMT\r
                Retry-After: Sun, 06 Nov 1994 08:51:07 GMT\r
                Connection: close\r
                Content-Length: 0\r
                \r
                """),
            RawServer.Script.says("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));

    HttpResponse<String> response = sender().send(get(server.uri()), BodyHandlers.ofString());

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(time.waits()).containsExactly(ofSeconds(90));
  }

  @Test
  void aDateInRetryAfterCountsFromOurClockWhenTheResponseHasNoDate() throws Exception {
    RawServer server =
        raw(
            RawServer.Script.says(
                """
                HTTP/1.1 503 Service Unavailable\r
                Retry-After: Thu, 01 Jan 2026 12:00:42 GMT\r
                Connection: close\r
                Content-Length: 0\r
                \r
                """),
            RawServer.Script.says("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));

    HttpResponse<String> response = sender().send(get(server.uri()), BodyHandlers.ofString());

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(time.waits()).containsExactly(ofSeconds(42));
  }

  @Test
  void ofSeveralRetryAftersTheLongestIsKept() throws Exception {
    ScriptedServer server =
        server(
            status(503, "Retry-After", "3", "Retry-After", "30", "Retry-After", "soon"),
            status(200));

    sender().send(post(server), BodyHandlers.ofString());

    assertThat(time.waits()).containsExactly(ofSeconds(30));
  }

  @Test
  void aRetryAfterThatCannotBeReadIsNone() throws Exception {
    ScriptedServer server = server(status(503, "Retry-After", "-1"), status(200));

    assertThat(sender().send(post(server), BodyHandlers.ofString()).statusCode()).isEqualTo(503);
    assertThat(server.seen()).hasSize(1);
  }

  @Test
  void a429IsRepeatedWithWhateverMethodAfterTheBackoffOfThrottles() throws Exception {
    ScriptedServer server = server(status(429), status(200));

    HttpResponse<String> response = sender().send(post(server), BodyHandlers.ofString());

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(time.waits()).containsExactly(ofSeconds(4));
  }

  @Test
  void aRetryAfterBeyondTheCeilingReturnsTheResponseAtOnce() throws Exception {
    ScriptedServer server = server(status(503, "Retry-After", "3600"));

    HttpResponse<String> response = sender().send(get(server), BodyHandlers.ofString());

    assertThat(response.statusCode()).isEqualTo(503);
    assertThat(response.body()).isEqualTo("body of 503");
    assertThat(time.waits()).isEmpty();
    assertThat(listener.stopReason()).isEqualTo(StopReason.HINT_TOO_LONG);
    assertThat(RetryingHttpSender.stopReason(response)).isEqualTo(StopReason.HINT_TOO_LONG);
  }

  @ParameterizedTest
  @CsvSource({
    "GET, , 2", "HEAD, , 2", "OPTIONS, , 2", "PUT, , 2", "DELETE, , 2", "TRACE, , 2",
    "POST, , 1", "PATCH, , 1", "get, , 1", "POST, k-1, 2", "PATCH, k-1, 2", "POST, ' ', 1",
  })
  void a500IsRepeatedWhenTheRequestMayBe(String method, String key, int attempts) throws Exception {
    ScriptedServer server = server(body(500, ""), body(200, ""));
    HttpRequest.Builder request =
        HttpRequest.newBuilder(server.uri()).method(method, BodyPublishers.noBody());
    if (key != null) {
      request.header("Idempotency-Key", key);
    }

    HttpResponse<Void> response = sender().send(request.build(), BodyHandlers.discarding());

    assertThat(response.statusCode()).isEqualTo(attempts == 2 ? 200 : 500);
    assertThat(server.seen()).hasSize(attempts);
  }

  @Test
  void whatTheProgramDeclaresIdempotentIsRepeatedWhateverTheMethod() throws Exception {
    ScriptedServer server = server(status(500), status(200));

    RetryingHttpSender sender = sender(retry().idempotent(true));

    assertThat(sender.send(post(server), BodyHandlers.ofString()).statusCode()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 204, 206, 301, 304, 307, 400, 401, 404, 409, 410, 422})
  void anyOtherResponseIsReturnedAsItIs(int status) throws Exception {
    String text = status == 204 || status == 304 ? "" : "text";
    ScriptedServer server = server(body(status, text));

    HttpResponse<InputStream> response = sender().send(get(server), BodyHandlers.ofInputStream());

    assertThat(response.statusCode()).isEqualTo(status);
    try (InputStream in = response.body()) {
      assertThat(new String(in.readAllBytes(), UTF_8)).isEqualTo(text);
    }
    assertThat(server.seen()).hasSize(1);
    // A refusal is no success, although the caller gets the response.
    assertThat(listener.kinds()).containsExactly(status < 400 ? Kind.SUCCESS : Kind.STOP);
    assertThat(listener.stopReason()).isEqualTo(status < 400 ? null : StopReason.NOT_RETRYABLE);
    assertThat(RetryingHttpSender.stopReason(response)).isNull();
  }

  // The last response.

  @ParameterizedTest
  @ValueSource(strings = {"short", ""})
  void theLastResponseIsReturnedWholeWhenAttemptsAreUsedUp(String text) throws Exception {
    ScriptedServer server = server(body(503, text, "X-Mark", "m"));

    HttpResponse<String> response = sender().send(get(server), BodyHandlers.ofString());

    assertThat(response.body()).isEqualTo(text);
    assertThat(response.statusCode()).isEqualTo(503);
    assertThat(response.headers().firstValue("X-Mark")).contains("m");
    assertThat(response.uri()).isEqualTo(server.uri());
    assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_1_1);
    assertThat(response.request().method()).isEqualTo("GET");
    assertThat(response.previousResponse()).isEmpty();
    assertThat(response.sslSession()).isEmpty();
    assertThat(response).hasToString("(GET " + server.uri() + ") 503");
    assertThat(server.seen()).hasSize(3);
    assertThat(listener.kinds()).containsExactly(Kind.RETRY, Kind.RETRY, Kind.STOP);
    assertThat(listener.stopReason()).isEqualTo(StopReason.ATTEMPTS);
  }

  @Test
  void everyHandlerReadsTheLastResponseHoweverLongItIs(@TempDir Path folder) throws Exception {
    ScriptedServer server = server(body(503, LONG_TEXT));
    RetryingHttpSender sender = sender();
    Path file = folder.resolve("body");

    assertThat(sender.send(get(server), BodyHandlers.ofString()).body()).isEqualTo(LONG_TEXT);
    assertThat(sender.send(get(server), BodyHandlers.ofByteArray()).body())
        .isEqualTo(LONG_TEXT.getBytes(UTF_8));
    assertThat(sender.send(get(server), BodyHandlers.ofFile(file)).body()).hasContent(LONG_TEXT);
    assertThat(sender.send(get(server), BodyHandlers.discarding()).body()).isNull();
    try (InputStream in = sender.send(get(server), BodyHandlers.ofInputStream()).body()) {
      assertThat(new String(in.readAllBytes(), UTF_8)).isEqualTo(LONG_TEXT);
    }
    try (Stream<String> lines = sender.send(get(server), BodyHandlers.ofLines()).body()) {
      assertThat(lines.collect(Collectors.joining())).isEqualTo(LONG_TEXT);
    }
    Flow.Publisher<List<ByteBuffer>> publisher =
        sender.send(get(server), BodyHandlers.ofPublisher()).body();
    var collected = BodySubscribers.ofString(UTF_8);
    publisher.subscribe(collected);
    assertThat(collected.getBody().toCompletableFuture().get()).isEqualTo(LONG_TEXT);
  }

  @Test
  void aFileHoldsNothingOfAResponseBefore(@TempDir Path folder) throws Exception {
    ScriptedServer server = server(body(503, "a long page of apologies"), body(200, "ok"));
    Path file = folder.resolve("body");

    HttpResponse<Path> response = sender().send(get(server), BodyHandlers.ofFile(file));

    assertThat(response.body()).isEqualTo(file).hasContent("ok");
  }

  @Test
  void aHandlerThatThrowsAtTheLastResponseIsAFailureAsWithTheClient() throws Exception {
    ScriptedServer server = server(body(503, LONG_TEXT));
    IllegalStateException broken = new IllegalStateException("broken handler");

    Throwable thrown =
        catchThrowable(
            () ->
                sender()
                    .send(
                        get(server),
                        info -> {
                          throw broken;
                        }));

    assertThat(thrown).isInstanceOf(IOException.class).hasCause(broken);
  }

  // Connections.

  @ParameterizedTest
  @ValueSource(strings = {"ofInputStream", "ofLines", "ofPublisher", "ofString"})
  void aRejectedResponseLeavesItsConnectionToTheNextAttempt(String handler) throws Exception {
    ScriptedServer server = server(status(503), status(503), status(200));
    BodyHandler<?> handlers =
        switch (handler) {
          case "ofInputStream" -> BodyHandlers.ofInputStream();
          case "ofLines" -> BodyHandlers.ofLines();
          case "ofPublisher" -> BodyHandlers.ofPublisher();
          default -> BodyHandlers.ofString();
        };

    HttpResponse<?> response = sender().send(get(server), handlers);
    Bodies.close(response);

    assertThat(server.seen()).hasSize(3);
    assertThat(server.connections()).isEqualTo(1);
  }

  @Test
  void aRejectedResponseThatNeverEndsIsCutOff() throws Exception {
    CompletableFuture<Exception> cut = new CompletableFuture<>();
    ScriptedServer server = server(exchange -> writeForever(exchange, cut), status(200));

    HttpResponse<InputStream> response = sender().send(get(server), BodyHandlers.ofInputStream());
    response.body().close();

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(cut.get()).isInstanceOf(IOException.class);
  }

  @Test
  void aResponseThatARuleOfTheProgramRejectsIsClosedBeforeTheWait() throws Exception {
    ScriptedServer server = server(status(404), status(200));
    List<String> closed = new ArrayList<>();
    List<Object> discarded = new ArrayList<>();
    RetryBuilder retry =
        retry()
            .retryOnResult(HttpResponse.class, response -> response.statusCode() == 404)
            .onDiscard(discarded::add);

    HttpResponse<AutoCloseable> response =
        sender(retry)
            .send(
                get(server),
                info ->
                    BodySubscribers.mapping(
                        BodySubscribers.ofString(UTF_8),
                        text -> () -> closed.add(text + " after " + time.elapsed())));

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(closed).containsExactly("body of 404 after PT0S");
    assertThat(discarded).isEmpty();
  }

  @Test
  void rulesOfTheProgramDoNotSeeResponsesThatAreRetriedAnyway() throws Exception {
    ScriptedServer server = server(status(503), body(200, "busy"), body(200, "done"));
    RetryBuilder retry =
        retry()
            .retryOnResult(
                HttpResponse.class, response -> ((String) response.body()).equals("busy"));

    HttpResponse<String> response = sender(retry).send(get(server), BodyHandlers.ofString());

    assertThat(response.body()).isEqualTo("done");
    assertThat(server.seen()).hasSize(3);
  }

  // Failures without a response.

  @Test
  void aRefusedConnectionIsTriedAgainWhateverTheMethod() throws Exception {
    URI uri = refusing();

    Throwable thrown =
        catchThrowable(() -> sender().send(post(uri, text()), BodyHandlers.ofString()));

    assertThat(thrown).isInstanceOf(ConnectException.class);
    assertThat(listener.kinds()).containsExactly(Kind.RETRY, Kind.RETRY, Kind.STOP);
    RetryStoppedException stopped = RetryStoppedException.of(thrown);
    assertThat(stopped).isNotNull();
    assertThat(stopped.reason()).isEqualTo(StopReason.ATTEMPTS);
  }

  @Test
  void aResponseThatBreaksOffIsRepeatedOnlyWhenTheRequestMayBe() throws Exception {
    RawServer.Script breaksOff =
        connection -> {
          RawServer.readHead(connection);
          RawServer.send(connection, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf of it");
          RawServer.reset(connection);
        };
    RawServer.Script answers =
        RawServer.Script.says("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwhole");

    HttpResponse<String> response =
        sender().send(get(raw(breaksOff, answers).uri()), BodyHandlers.ofString());
    RawServer forPost = raw(breaksOff, answers);
    HttpRequest post = post(forPost.uri(), BodyPublishers.noBody());
    Throwable thrown = catchThrowable(() -> sender().send(post, BodyHandlers.ofString()));

    assertThat(response.body()).isEqualTo("whole");
    assertThat(thrown).isInstanceOf(IOException.class);
    assertThat(forPost.connections()).isEqualTo(1);
  }

  @Test
  void aRejectedResponseThatBreaksOffIsAFailureLikeAnyOther() throws Exception {
    RawServer server =
        raw(
            connection -> {
              RawServer.readHead(connection);
              RawServer.send(connection, "HTTP/1.1 503 No\r\nContent-Length: 100\r\n\r\nhalf");
              RawServer.reset(connection);
            },
            RawServer.Script.says("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwhole"));

    assertThat(sender().send(get(server.uri()), BodyHandlers.ofString()).body()).isEqualTo("whole");
  }

  @Test
  void aRequestThatTimesOutIsRepeatedOnlyWhenItMayBe() throws Exception {
    RawServer forGet =
        raw(
            connection -> connection.getInputStream().readAllBytes(),
            RawServer.Script.says("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwhole"));
    HttpRequest get = HttpRequest.newBuilder(forGet.uri()).timeout(Duration.ofMillis(300)).build();

    RetryingHttpSender sender = sender(retry().strategy(untilAnsweredInTime().build()));

    assertThat(sender.send(get, BodyHandlers.ofString()).body()).isEqualTo("whole");
    assertThat(listener.events().get(0).failure()).isInstanceOf(HttpTimeoutException.class);
    assertThatAPostThatTimesOutIsSentOnce(Duration.ofMillis(300));
  }

  private void assertThatAPostThatTimesOutIsSentOnce(Duration timeout) throws Exception {
    AtomicInteger sent = new AtomicInteger();
    RawServer server =
        raw(
            connection -> {
              RawServer.readHead(connection);
              sent.incrementAndGet();
              connection.getInputStream().readAllBytes();
            });
    HttpRequest post =
        HttpRequest.newBuilder(server.uri()).POST(BodyPublishers.noBody()).timeout(timeout).build();

    Throwable thrown = catchThrowable(() -> sender().send(post, BodyHandlers.ofString()));

    assertThat(thrown).isInstanceOf(HttpTimeoutException.class);
    // A request whose time was over before there was a connection was never sent.
    if (sent.get() == 0) {
      assertThatAPostThatTimesOutIsSentOnce(timeout.multipliedBy(2));
      return;
    }
    assertThat(listener.stopReason()).isEqualTo(StopReason.NOT_RETRYABLE);
    assertThat(sent).hasValue(1);
  }

  @Test
  void aConnectionThatIsNotMadeInTimeIsTriedAgainWhateverTheMethod() throws Exception {
    try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      // Nobody accepts: once the backlog is full, the kernel leaves further SYNs without an answer.
      for (int i = 0; i < 2; i++) {
        opened.add(new Socket(full.getInetAddress(), full.getLocalPort()));
      }
      // These wait for a place, should the kernel not yet have counted those that have one.
      for (int i = 0; i < 20; i++) {
        SocketChannel waiting = SocketChannel.open();
        opened.add(waiting);
        waiting.configureBlocking(false);
        waiting.connect(full.getLocalSocketAddress());
      }
      HttpClient client = HttpClient.newBuilder().connectTimeout(Duration.ofMillis(200)).build();
      URI uri = URI.create("http://127.0.0.1:" + full.getLocalPort() + "/");

      Throwable thrown =
          catchThrowable(
              () ->
                  RetryingHttpSender.of(client, retry().build())
                      .send(post(uri, text()), BodyHandlers.ofString()));

      assertThat(thrown).isInstanceOf(HttpTimeoutException.class);
      assertThat(listener.kinds()).containsExactly(Kind.RETRY, Kind.RETRY, Kind.STOP);
    }
  }

  @Test
  void anAttemptThatIsCutOffIsRepeated() throws Exception {
    RawServer server =
        raw(
            connection -> connection.getInputStream().readAllBytes(),
            RawServer.Script.says("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwhole"));
    Retry retry =
        Retry.builder()
            .strategy(untilAnsweredInTime().backoff(Backoff.none()).build())
            .attemptTimeout(Duration.ofMillis(300))
            .build();

    HttpResponse<String> response =
        RetryingHttpSender.of(CLIENT, retry).send(get(server.uri()), BodyHandlers.ofString());

    assertThat(response.body()).isEqualTo("whole");
  }

  // Bodies of requests.

  @ParameterizedTest
  @ValueSource(strings = {"ofString", "ofByteArray", "ofFile", "ReplayableBody"})
  void aBodyThatCanBeSentAgainIs(String kind, @TempDir Path folder) throws Exception {
    ScriptedServer server = server(status(500), status(200));
    Path file = Files.writeString(folder.resolve("body"), "hello");
    BodyPublisher body =
        switch (kind) {
          case "ofString" -> BodyPublishers.ofString("hello");
          case "ofByteArray" -> BodyPublishers.ofByteArray("hello".getBytes(UTF_8));
          case "ofFile" -> BodyPublishers.ofFile(file);
          default -> new ReplayableBody(BodyPublishers.ofInputStream(() -> stream("hello")));
        };

    HttpResponse<String> response = sender().send(put(server.uri(), body), BodyHandlers.ofString());

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(server.seen()).extracting(Seen::body).containsExactly("hello", "hello");
  }

  @Test
  void aBodyThatCanBeSentOnlyOnceIsNotSentTwice() throws Exception {
    ScriptedServer server = server(status(503, "Retry-After", "1"), status(200));
    InputStream once = stream("hello");

    HttpResponse<String> response =
        sender()
            .send(
                put(server.uri(), BodyPublishers.ofInputStream(() -> once)),
                BodyHandlers.ofString());

    assertThat(response.statusCode()).isEqualTo(503);
    assertThat(response.body()).isEqualTo("body of 503");
    assertThat(server.seen()).extracting(Seen::body).containsExactly("hello");
    assertThat(listener.stopReason()).isEqualTo(StopReason.NOT_RETRYABLE);
  }

  @Test
  void aBodyThatNobodyBeganToSendIsSentByALaterAttempt() throws Exception {
    URI uri = refusing();
    ScriptedServer[] late = new ScriptedServer[1];
    scheduler.schedule(
        Duration.ofMillis(1500),
        () -> {
          try {
            late[0] = new ScriptedServer(uri.getPort(), status(200));
            opened.add(late[0]);
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
    InputStream once = stream("hello");

    HttpResponse<String> response =
        sender().send(post(uri, BodyPublishers.ofInputStream(() -> once)), BodyHandlers.ofString());

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(late[0].seen()).extracting(Seen::body).containsExactly("hello");
    assertThat(listener.kinds()).containsExactly(Kind.RETRY, Kind.RETRY, Kind.SUCCESS);
  }

  @Test
  void aHedgeDoesNotSendABodyThatCanBeSentOnlyOnce() throws Exception {
    CountDownLatch hedged = new CountDownLatch(1);
    ScriptedServer server =
        server(
            exchange -> {
              awaitOrFail(hedged);
              status(200).to(exchange);
            });
    AtomicInteger opens = new AtomicInteger();
    BodyPublisher body =
        BodyPublishers.ofInputStream(
            () -> {
              opens.incrementAndGet();
              return stream("hello");
            });
    Retry retry =
        Retry.builder()
            .strategy(strategy().build())
            .idempotent(true)
            .hedging(Hedging.after(Duration.ofMillis(100)))
            .listener(listener)
            .listener(event -> countDownAt(event, Kind.SUPERSEDED, hedged))
            .build();

    HttpResponse<String> response =
        RetryingHttpSender.of(CLIENT, retry).send(put(server.uri(), body), BodyHandlers.ofString());

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(opens).hasValue(1);
    assertThat(server.seen()).extracting(Seen::body).containsExactly("hello");
    assertThat(listener.kinds()).containsExactly(Kind.SUPERSEDED, Kind.SUCCESS);
  }

  @Test
  void aRequestWhoseBodyIsWatchedIsOtherwiseTheSame() throws Exception {
    ScriptedServer server = server(status(200));
    HttpRequest request =
        HttpRequest.newBuilder(server.uri())
            .method("PATCH", BodyPublishers.ofInputStream(() -> stream("hello")))
            .header("X-One", "1")
            .header("X-One", "2")
            .timeout(ofMinutes(1))
            .version(HttpClient.Version.HTTP_1_1)
            .build();

    HttpRequest sent = sender().send(request, BodyHandlers.ofString()).request();

    assertThat(sent.method()).isEqualTo("PATCH");
    assertThat(sent.headers().allValues("X-One")).containsExactly("1", "2");
    assertThat(sent.timeout()).contains(ofMinutes(1));
    assertThat(sent.version()).contains(HttpClient.Version.HTTP_1_1);
    assertThat(sent.expectContinue()).isFalse();
    assertThat(server.seen()).extracting(Seen::body).containsExactly("hello");
    assertThat(new BodyUse(continueRequest(server.uri())).request().expectContinue()).isTrue();
  }

  @Test
  void aBodyThatTheServerDidNotWantYetIsSentByALaterAttempt() throws Exception {
    // All of it is read, for a connection that is closed with bytes unread is reset.
    String chunked = "5\r\nhello\r\n0\r\n\r\n";
    CompletableFuture<String> received = new CompletableFuture<>();
    RawServer server =
        raw(
            RawServer.Script.says(
                """
                HTTP/1.1 503 Service Unavailable\r
                Retry-After: 1\r
                Connection: close\r
                Content-Length: 0\r
                \r
                """),
            connection -> {
              RawServer.readHead(connection);
              RawServer.send(connection, "HTTP/1.1 100 Continue\r\n\r\n");
              received.complete(
                  new String(connection.getInputStream().readNBytes(chunked.length()), UTF_8));
              RawServer.send(connection, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
            });

    HttpResponse<String> response =
        sender().send(continueRequest(server.uri()), BodyHandlers.ofString());

    assertThat(response.body()).isEqualTo("ok");
    assertThat(received.get()).isEqualTo(chunked);
    assertThat(listener.kinds()).containsExactly(Kind.RETRY, Kind.SUCCESS);
  }

  // Scopes.

  @Test
  void aHostThatFailsDoesNotUseUpTheBudgetOfAnother() throws Exception {
    ScriptedServer failing = server(status(503));
    ScriptedServer other = server(status(503), status(200));
    RetryingHttpSender sender = sender(retryWithTwoRetriesPerScope());

    sender.send(get(failing), BodyHandlers.ofString());
    sender.send(get(failing.uri().resolve("/another/path")), BodyHandlers.ofString());
    assertThat(listener.stopReason()).isEqualTo(StopReason.BUDGET);
    assertThat(failing.seen()).hasSize(4);

    HttpResponse<String> response = sender.send(get(other), BodyHandlers.ofString());
    assertThat(response.statusCode()).isEqualTo(200);
  }

  @Test
  void aScopeThatTheProgramGaveIsKept() throws Exception {
    ScriptedServer failing = server(status(503));
    ScriptedServer other = server(status(503), status(200));
    RetryingHttpSender sender = sender(retryWithTwoRetriesPerScope().scope("search"));

    sender.send(get(failing), BodyHandlers.ofString());
    HttpResponse<String> response = sender.send(get(other), BodyHandlers.ofString());

    assertThat(response.statusCode()).isEqualTo(503);
    assertThat(listener.stopReason()).isEqualTo(StopReason.BUDGET);
    assertThat(listener.events().get(0).operation().scope()).isEqualTo("search");
  }

  @ParameterizedTest
  @CsvSource({
    "http://[::1]:1/path, http://[::1]:1",
    "HTTP://LOCALHOST:1/?q=a, http://localhost:1",
    "http://user:secret@127.0.0.1:1/, http://127.0.0.1:1",
    "http://host.invalid/, http://host.invalid:80",
    "https://host.invalid/, https://host.invalid:443",
  })
  void theScopeIsSchemeHostAndPort(URI uri, String scope) throws Exception {
    // What is sent through a proxy asks nobody for the address of a host.
    InetSocketAddress refusing =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), refusing().getPort());
    HttpClient client = HttpClient.newBuilder().proxy(ProxySelector.of(refusing)).build();

    Throwable thrown =
        catchThrowable(
            () ->
                RetryingHttpSender.of(client, retry(1).build())
                    .send(get(uri), BodyHandlers.ofString()));

    assertThat(thrown).isInstanceOf(ConnectException.class);
    assertThat(listener.events().get(0).operation().scope()).isEqualTo(scope);
  }

  // Interrupts.

  @Test
  void anInterruptInTheWaitAfterAResponseIsAnInterruptedException() throws Exception {
    ScriptedServer server = server(status(503));
    RetryBuilder retry = retry().listener(event -> interruptAt(event, Kind.RETRY));

    Throwable thrown =
        catchThrowable(() -> sender(retry).send(get(server), BodyHandlers.ofString()));

    assertThat(Thread.interrupted()).isTrue();
    assertThat(thrown).isInstanceOf(InterruptedException.class);
    assertThat(thrown.getCause()).hasMessage("result not accepted: 503 Service Unavailable");
    assertThat(server.seen()).hasSize(1);
  }

  @Test
  void anInterruptInTheWaitAfterAFailureIsAnInterruptedException() throws Exception {
    URI uri = refusing();
    RetryBuilder retry = retry().listener(event -> interruptAt(event, Kind.RETRY));

    Throwable thrown = catchThrowable(() -> sender(retry).send(get(uri), BodyHandlers.ofString()));

    assertThat(Thread.interrupted()).isTrue();
    assertThat(thrown)
        .isInstanceOf(InterruptedException.class)
        .hasCauseInstanceOf(ConnectException.class);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anInterruptWhileWaitingForTheResponseEndsTheExchange(boolean onAnotherThread)
      throws Exception {
    Thread caller = Thread.currentThread();
    CompletableFuture<Integer> end = new CompletableFuture<>();
    RawServer server =
        raw(
            connection -> {
              RawServer.readHead(connection);
              caller.interrupt();
              end.complete(connection.getInputStream().read());
            });
    RetryBuilder retry = retry();
    if (onAnotherThread) {
      retry = Retry.builder().strategy(strategy().build()).attemptTimeout(ofMinutes(5));
    }
    RetryingHttpSender sender = sender(retry);

    Throwable thrown =
        catchThrowable(() -> sender.send(get(server.uri()), BodyHandlers.ofString()));

    assertThat(Thread.interrupted()).isTrue();
    assertThat(thrown).isInstanceOf(InterruptedException.class);
    assertThat(end.get()).isEqualTo(-1);
    assertThat(server.connections()).isEqualTo(1);
  }

  @Test
  void anInterruptWhileTheLastResponseIsReadEndsTheExchange() throws Exception {
    Thread caller = Thread.currentThread();
    CompletableFuture<Exception> cut = new CompletableFuture<>();
    CountDownLatch decided = new CountDownLatch(1);
    ScriptedServer server =
        server(
            exchange -> {
              exchange.sendResponseHeaders(503, 0);
              exchange.getResponseBody().write(LONG_TEXT.getBytes(UTF_8));
              exchange.getResponseBody().flush();
              awaitOrFail(decided);
              caller.interrupt();
              writeOn(exchange, cut);
            });
    RetryBuilder retry = retry(1).listener(event -> countDownAt(event, Kind.STOP, decided));

    Throwable thrown =
        catchThrowable(() -> sender(retry).send(get(server), BodyHandlers.ofString()));

    assertThat(Thread.interrupted()).isTrue();
    assertThat(thrown).isInstanceOf(InterruptedException.class);
    assertThat(cut.get()).isInstanceOf(IOException.class);
  }

  // The rest.

  @Test
  void eventsTellTheStatusAndNoSecrets() throws Exception {
    ScriptedServer server = server(status(503, "X-Token", "secret"), status(500), status(200));
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(server.uri() + "path?token=secret"))
            .header("Authorization", "secret")
            .build();

    sender().send(request, BodyHandlers.ofString());

    assertThat(listener.kinds()).containsExactly(Kind.RETRY, Kind.RETRY, Kind.SUCCESS);
    assertThat(listener.events().get(0).failure())
        .hasMessage("result not accepted: 503 Service Unavailable");
    assertThat(listener.events().get(1).failure())
        .hasMessage("result not accepted: 500 Internal Server Error");
    assertThat(listener.events().toString()).doesNotContain("secret");
    assertThat(listener.events().get(0).name()).isEqualTo("test");
  }

  @Test
  void theDefaultsSendAndRetry() throws Exception {
    ScriptedServer server = server(status(500), status(200));

    HttpResponse<String> response =
        RetryingHttpSender.of(CLIENT).send(get(server), BodyHandlers.ofString());

    assertThat(response.statusCode()).isEqualTo(200);
  }

  @Test
  void argumentsThatAreMissingAreNamed() {
    HttpRequest request = get(URI.create("http://127.0.0.1:1/"));
    assertThatNullPointerException()
        .isThrownBy(() -> sender().send(null, BodyHandlers.ofString()))
        .withMessage("request");
    assertThatNullPointerException()
        .isThrownBy(() -> sender().send(request, null))
        .withMessage("handler");
    assertThatNullPointerException()
        .isThrownBy(() -> sender().sendAsync(request, null))
        .withMessage("handler");
    assertThatNullPointerException()
        .isThrownBy(() -> RetryingHttpSender.of(null))
        .withMessage("client");
    assertThatNullPointerException().isThrownBy(() -> new ReplayableBody(null)).withMessage("body");
  }

  private RetryingHttpSender sender() {
    return sender(retry());
  }

  private static RetryingHttpSender sender(RetryBuilder retry) {
    return RetryingHttpSender.of(CLIENT, retry.build(), Clock.fixed(NOON, ZoneOffset.UTC));
  }

  private RetryBuilder retry() {
    return retry(3);
  }

  private RetryBuilder retry(int maxAttempts) {
    return Retry.builder()
        .name("test")
        .strategy(strategy().maxAttempts(maxAttempts).build())
        .time(time)
        .listener(listener);
  }

  private static StandardRetryStrategy.Builder strategy() {
    return StandardRetryStrategy.builder()
        .maxAttempts(3)
        .backoff(Backoff.fixed(ofSeconds(1)))
        .throttleBackoff(Backoff.fixed(ofSeconds(4)));
  }

  /** Not even the second attempt is sure to be answered within a short timeout. */
  private static StandardRetryStrategy.Builder untilAnsweredInTime() {
    return strategy().maxAttempts(1_000).budget(RetryBudget.unlimited());
  }

  private RetryBuilder retryWithTwoRetriesPerScope() {
    TokenPrices prices = new TokenPrices(1_000, 1_000, 1_000, 0, false);
    ScopedBudgets budgets = ScopedBudgets.perScope(() -> RetryBudget.tokenBucket(2, prices));
    return retry().strategy(strategy().budgets(budgets).build());
  }

  private ScriptedServer server(Answer... answers) throws IOException {
    ScriptedServer server = new ScriptedServer(answers);
    opened.add(server);
    return server;
  }

  private RawServer raw(RawServer.Script... scripts) throws IOException {
    RawServer server = new RawServer(scripts);
    opened.add(server);
    return server;
  }

  private static HttpRequest get(ScriptedServer server) {
    return get(server.uri());
  }

  private static HttpRequest get(URI uri) {
    return HttpRequest.newBuilder(uri).build();
  }

  private static HttpRequest post(ScriptedServer server) {
    return post(server.uri(), text());
  }

  private static HttpRequest post(URI uri, BodyPublisher body) {
    return HttpRequest.newBuilder(uri).POST(body).build();
  }

  private static HttpRequest put(URI uri, BodyPublisher body) {
    return HttpRequest.newBuilder(uri).PUT(body).build();
  }

  private static HttpRequest continueRequest(URI uri) {
    InputStream once = stream("hello");
    return HttpRequest.newBuilder(uri)
        .POST(BodyPublishers.ofInputStream(() -> once))
        .expectContinue(true)
        .build();
  }

  private static BodyPublisher text() {
    return BodyPublishers.ofString("hello");
  }

  private static InputStream stream(String text) {
    return new ByteArrayInputStream(text.getBytes(UTF_8));
  }

  /** Returns an address at which nobody listens until the test does. */
  private URI refusing() throws IOException {
    RefusingPort port = RefusingPort.take();
    opened.add(port);
    return URI.create("http://127.0.0.1:" + port.number() + "/");
  }

  private static void writeForever(HttpExchange exchange, CompletableFuture<Exception> cut)
      throws IOException {
    exchange.sendResponseHeaders(503, 0);
    writeOn(exchange, cut);
  }

  private static void writeOn(HttpExchange exchange, CompletableFuture<Exception> cut) {
    byte[] page = new byte[64 * 1024];
    try {
      while (true) {
        exchange.getResponseBody().write(page);
      }
    } catch (IOException e) {
      cut.complete(e);
    }
  }

  private static void awaitOrFail(CountDownLatch latch) throws IOException {
    try {
      if (!latch.await(60, TimeUnit.SECONDS)) {
        throw new IOException("never told to go on");
      }
    } catch (InterruptedException e) {
      throw new IOException("stopped", e);
    }
  }

  private static void countDownAt(RetryEvent event, Kind kind, CountDownLatch latch) {
    if (event.kind() == kind) {
      latch.countDown();
    }
  }

  private static void interruptAt(RetryEvent event, Kind kind) {
    if (event.kind() == kind) {
      Thread.currentThread().interrupt();
    }
  }
}
