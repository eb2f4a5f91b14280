package dev.reprise.delivery.http;

import static dev.reprise.delivery.http.Sending.LONG;
import static dev.reprise.delivery.http.Sending.attempt;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.http.HttpOutcome.ConnectionFailed;
import dev.reprise.delivery.http.HttpOutcome.Response;
import dev.reprise.delivery.http.HttpOutcome.TimedOut;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What stands on an HTTP/1.1 connection beside one request and one response. */
class Http1StreamTest extends VertxHttpSenderFixture {
  private static final String TEAPOT = "HTTP/1.1 418 Teapot\r\nContent-Length: 0\r\n\r\n";

  @ParameterizedTest
  @ValueSource(strings = {TEAPOT, "x", "\r\nHTTP/1.1 100 Continue\r\n\r\n"})
  void whatComesBesideTheResponseEndsTheConnection(String surplus) throws Exception {
    AtomicInteger connections = new AtomicInteger();
    try (HostileServer server =
        new HostileServer(
            peer -> {
              connections.incrementAndGet();
              peer.readRequest();
              peer.write(OK + surplus);
              peer.awaitClose();
            })) {
      assertThat(((Response) send(server, LONG)).status()).isEqualTo(200);
      assertThat(server.closedByClient.await(300, SECONDS)).isTrue();
      assertThat(((Response) send(server, LONG)).status()).isEqualTo(200);
      assertThat(connections).hasValue(2);
    }
  }

  @Test
  void aResponseThatNobodyAskedForIsNotTheNextAnswer() throws Exception {
    try (HostileServer server =
        new HostileServer(
            peer -> {
              peer.readRequest();
              peer.write(OK);
              peer.write(TEAPOT);
              peer.awaitClose();
            })) {
      assertThat(((Response) send(server, LONG)).status()).isEqualTo(200);
      assertThat(server.closedByClient.await(300, SECONDS)).isTrue();
    }
  }

  @Test
  void anAnswerBeforeTheEndOfTheRequestEndsTheConnection() throws Exception {
    try (HostileServer server =
        new HostileServer(
            peer -> {
              peer.read(1);
              peer.write("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n");
              // Read no further until the client has gone: what it did not send is not sent.
              while (peer.read(1024 * 1024).length > 0) {
                Thread.sleep(1);
              }
            })) {
      byte[] body = new byte[64 * 1024 * 1024];
      HttpAttempt large =
          new HttpAttempt(
              Sending.url(server), List.of(), body, "text/plain", LONG, HttpOptions.DEFAULT);
      assertThat(((Response) send(large)).status()).isEqualTo(413);
      assertThat(server.closedByClient.await(300, SECONDS)).isTrue();
    }
  }

  @Test
  void anotherVersionIsNotHttp() throws Exception {
    try (HostileServer server = new HostileServer(answering("HTTP/3.7 200 OK\r\n\r\n"))) {
      assertThat(((ConnectionFailed) send(server, LONG)).detail()).contains("not HTTP");
    }
  }

  @Test
  void aHeadThatBreaksOffIsAClosedConnection() throws Exception {
    try (HostileServer server =
        new HostileServer(
            peer -> {
              peer.readRequest();
              peer.write("HTTP/1.1 200 OK\r\nContent-Le");
            })) {
      assertThat(((ConnectionFailed) send(server, LONG)).detail())
          .contains("closed the connection");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "HTTP/1.1, Connection: close, 3",
    "HTTP/1.1, 'Connection: x, CLOSE', 3",
    "HTTP/1.1, X: close, 1",
    "HTTP/1.0, X: keep-alive, 3",
    "HTTP/1.0, Connection: keep-alive, 1",
    "HTTP/1.1, 'Keep-Alive: timeout=0', 3",
    "HTTP/1.1, 'Keep-Alive: max=5, timeout=60', 1",
  })
  void aConnectionIsKeptAsTheResponseSays(String version, String header, int connections)
      throws Exception {
    AtomicInteger made = new AtomicInteger();
    String answer = version + " 200 OK\r\n" + header + "\r\nContent-Length: 2\r\n\r\nok";
    try (HostileServer server =
        new HostileServer(
            peer -> {
              made.incrementAndGet();
              while (true) {
                peer.readRequest();
                peer.write(answer);
              }
            })) {
      for (int i = 0; i < 3; i++) {
        Response response = (Response) send(server, LONG);
        assertThat(response.bodyExcerpt()).asString(UTF_8).isEqualTo("ok");
      }
      assertThat(made).hasValue(connections);
    }
  }

  @Test
  void aShortTimeoutDoesNotWaitForALongOne() throws Exception {
    try (HostileServer silent = new HostileServer(peer -> peer.awaitClose())) {
      CompletableFuture<HttpOutcome> patient = new CompletableFuture<>();
      sender.send(attempt(Sending.url(silent), LONG.multipliedBy(10)), patient::complete);
      assertThat(send(silent, Duration.ofMillis(1))).isInstanceOf(TimedOut.class);
      assertThat(patient).isNotDone();
    }
  }

  @Test
  void aTimeoutMayBeLongerThanAnyClockCounts() throws Exception {
    Duration ages = Duration.ofMillis(Long.MAX_VALUE);
    try (HostileServer server = new HostileServer(answering(OK))) {
      assertThat(send(server, ages)).isInstanceOf(Response.class);
      assertThat(send(server, LONG)).isInstanceOf(Response.class);
    }
  }
}
