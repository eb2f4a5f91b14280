package dev.reprise.core.http;

import static dev.reprise.core.http.ScriptedServer.Answer.status;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.reprise.core.StopReason;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.retry.Retry;
import dev.reprise.core.retry.RetryBuilder;
import dev.reprise.core.retry.RetryEvent.Kind;
import dev.reprise.core.retry.RetryStoppedException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(300)
class RetryingHttpSenderFailureTest extends SenderFixture {
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

  @ParameterizedTest
  @ValueSource(
      strings = {"100 Continue", "102 Processing", "103 Early Hints", "104 New", "199 Odd"})
  void anInterimResponseIsNotTheResponse(String status) throws Exception {
    RawServer server =
        raw(
            RawServer.Script.says(
                ("HTTP/1.1 " + status + "\r\nX: y\r\n\r\n").repeat(2)
                    + "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwhole"));

    HttpResponse<String> response = sender().send(get(server.uri()), BodyHandlers.ofString());

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).isEqualTo("whole");
    assertThat(server.connections()).isEqualTo(1);
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
}
