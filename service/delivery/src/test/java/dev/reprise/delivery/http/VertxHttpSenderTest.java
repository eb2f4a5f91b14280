package dev.reprise.delivery.http;

import static dev.reprise.delivery.http.Sending.LONG;
import static dev.reprise.delivery.http.Sending.attempt;
import static dev.reprise.delivery.http.Sending.await;
import static dev.reprise.delivery.http.Sending.sendBriefly;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.reprise.delivery.address.EndpointUrl;
import dev.reprise.delivery.http.HttpOutcome.ConnectionFailed;
import dev.reprise.delivery.http.HttpOutcome.Refused;
import dev.reprise.delivery.http.HttpOutcome.Response;
import dev.reprise.delivery.http.HttpOutcome.TimedOut;
import dev.reprise.testkit.RefusingPort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class VertxHttpSenderTest extends VertxHttpSenderFixture {
  /** How the details of timeouts begin that are over before the request was sent, or answered. */
  private static final String[] BEFORE_SENT = {"waiting for its turn", "connecting"};

  private static final String[] BEFORE_ANSWERED = {
    "waiting for its turn", "connecting", "waiting for the response"
  };

  @Test
  void aRequestArrivesAsItWasGiven() throws Exception {
    try (HostileServer server = new HostileServer(answering(OK))) {
      HttpAttempt attempt =
          new HttpAttempt(
              url("http://127.0.0.1:" + server.port() + "/a%20b?c=d&e"),
              List.of(Map.entry("X-Id", "7"), Map.entry("X-Id", "8"), Map.entry("x-empty", "")),
              "{\"é\":1}".getBytes(UTF_8),
              "application/json",
              LONG,
              HttpOptions.DEFAULT);
      assertThat(send(attempt)).isInstanceOf(Response.class);
      List<String> head = server.requests().get(0).lines().toList();
      assertThat(head.get(0)).isEqualTo("POST /a%20b?c=d&e HTTP/1.1");
      assertThat(head.stream().map(line -> line.toLowerCase(java.util.Locale.ROOT)))
          .contains(
              "host: 127.0.0.1:" + server.port(),
              "content-type: application/json",
              "content-length: 8",
              "x-id: 7",
              "x-id: 8",
              "x-empty: ")
          .noneMatch(line -> line.startsWith("transfer-encoding"))
          .noneMatch(line -> line.startsWith("accept-encoding"));
    }
  }

  @Test
  void aResponseIsData() throws Exception {
    String date = "Sun, 06 Nov 1994 08:49:37 GMT";
    try (HostileServer server =
        new HostileServer(
            answering(
                "HTTP/1.1 503 Later\r\nRetry-After: 120\r\nDate: "
                    + date
                    + "\r\nContent-Length: 4\r\n\r\nbusy"))) {
      Response response = (Response) send(server, LONG);
      assertThat(response.status()).isEqualTo(503);
      assertThat(response.retryAfter()).containsExactly("120");
      assertThat(response.date()).isEqualTo(date);
      assertThat(response.bodyExcerpt()).asString(UTF_8).isEqualTo("busy");
      assertThat(response.address()).isEqualTo("127.0.0.1:" + server.port());
      assertThat(response.latencyNanos()).isPositive();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {301, 302, 303, 307, 308})
  void redirectsAreNotFollowed(int status) throws Exception {
    try (HostileServer target = new HostileServer(answering(OK));
        HostileServer server =
            new HostileServer(
                answering(
                    "HTTP/1.1 "
                        + status
                        + " Elsewhere\r\nContent-Length: 0\r\nLocation: http://127.0.0.1:"
                        + target.port()
                        + "/\r\n\r\n"))) {
      assertThat(((Response) send(server, LONG)).status()).isEqualTo(status);
      assertThat(target.requests()).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({"10, true, 10", "10, false, 10", "1024, true, 1024", "40000, true, 1024"})
  void theJdksServerIsUnderstood(int length, boolean chunked, int kept) throws Exception {
    List<Integer> clientPorts = new CopyOnWriteArrayList<>();
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    ExecutorService threads = Executors.newCachedThreadPool();
    server.setExecutor(threads);
    server.createContext(
        "/",
        exchange -> {
          clientPorts.add(exchange.getRemoteAddress().getPort());
          exchange.getRequestBody().readAllBytes();
          exchange.sendResponseHeaders(202, chunked ? 0 : length);
          exchange.getResponseBody().write("x".repeat(length).getBytes(UTF_8));
          exchange.close();
        });
    server.start();
    try {
      EndpointUrl url = url("http://127.0.0.1:" + server.getAddress().getPort() + "/");
      for (int i = 0; i < 5; i++) {
        Response response = (Response) send(attempt(url, LONG));
        assertThat(response.status()).isEqualTo(202);
        assertThat(response.bodyExcerpt()).hasSize(kept);
      }
      assertThat(clientPorts).hasSize(5);
      if (length <= 1024) {
        assertThat(Set.copyOf(clientPorts)).hasSize(1);
      }
    } finally {
      server.stop(0);
      threads.shutdownNow();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "'SSH-2.0-OpenSSH_9.2\r\n\r\n', not HTTP",
    "'HTTP/1.1 abc OK\r\n\r\n', not HTTP",
    "'HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n', not HTTP",
    "'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok', not HTTP",
    "'', closed the connection",
    "'HTTP/1.1 200 O', closed the connection",
  })
  void garbageIsAConnectionFailure(String answer, String detail) throws Exception {
    try (HostileServer server =
        new HostileServer(
            peer -> {
              peer.readRequest();
              peer.write(answer);
            })) {
      HttpOutcome outcome = send(server, LONG);
      assertThat(outcome).isInstanceOf(ConnectionFailed.class);
      assertThat(((ConnectionFailed) outcome).detail())
          .contains("127.0.0.1:" + server.port())
          .contains(detail);
      assertThat(((ConnectionFailed) outcome).neverSent()).isFalse();
    }
  }

  @Test
  void aHeadWithoutEndIsCutOff() throws Exception {
    try (HostileServer server =
        new HostileServer(
            peer -> {
              peer.readRequest();
              peer.write("HTTP/1.1 200 OK\r\n");
              while (true) {
                peer.write("X-Filler: " + "x".repeat(1000) + "\r\n");
              }
            })) {
      Response response = (Response) send(server, LONG);
      assertThat(response.status()).isEqualTo(200);
      assertThat(response.note()).contains("more than 65536 bytes");
      assertThat(server.closedByClient.await(300, SECONDS)).isTrue();
    }
  }

  @Test
  void aBodyWithoutLengthEndsWithTheConnection() throws Exception {
    try (HostileServer server =
        new HostileServer(
            peer -> {
              peer.readRequest();
              peer.write("HTTP/1.0 200 OK\r\n\r\nold");
            })) {
      Response response = (Response) send(server, LONG);
      assertThat(response.bodyExcerpt()).asString(UTF_8).isEqualTo("old");
    }
  }

  @Test
  void anEndlessBodyIsASuccessAndIsCutOff() throws Exception {
    try (HostileServer server =
        new HostileServer(
            peer -> {
              peer.readRequest();
              peer.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
              while (true) {
                peer.write("400\r\n" + "x".repeat(1024) + "\r\n");
              }
            })) {
      Response response = (Response) send(server, LONG);
      assertThat(response.status()).isEqualTo(200);
      assertThat(response.bodyExcerpt()).hasSize(1024);
      assertThat(server.closedByClient.await(300, SECONDS)).isTrue();
    }
  }

  @Test
  void aBodyThatStopsAfterOneKilobyteIsASuccessAndIsCutOffInTime() throws Exception {
    sendBriefly(
        sender,
        peer -> {
          peer.readRequest();
          peer.write("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + "x".repeat(1025));
          peer.awaitClose();
        },
        (outcome, server) -> {
          assertThat(outcome).isInstanceOf(Response.class);
          assertThat(server.closedByClient.await(300, SECONDS)).isTrue();
        },
        BEFORE_ANSWERED);
  }

  @Test
  void aServerThatNeverAnswersTimesOut() throws Exception {
    sendBriefly(
        sender,
        peer -> {
          peer.readRequest();
          peer.awaitClose();
        },
        (outcome, server) -> {
          TimedOut timedOut = (TimedOut) outcome;
          assertThat(timedOut.detail())
              .isEqualTo("waiting for the response of 127.0.0.1:" + server.port());
          assertThat(timedOut.neverSent()).isFalse();
          assertThat(server.closedByClient.await(300, SECONDS)).isTrue();
        },
        BEFORE_SENT);
  }

  @ParameterizedTest
  @CsvSource({
    "'200 OK\r\nContent-Length: 10\r\n\r\nhalf', 200, half",
    "'200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nha\r\n', 200, ha",
    "'200 OK\r\n\r\nuntil the end that never comes', 200, until the end that never comes",
    "'204 No Content\r\n\r\n', 204, ''",
    "'429 Slow\r\nRetry-After: 7\r\nContent-Length: 10\r\n\r\nhalf', 429, half",
    "'503 Down\r\nRetry-After: 7\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nha\r\n', 503, ha",
  })
  void theHeadDecidesThoughTheBodyHangs(String answer, int status, String excerpt)
      throws Exception {
    try (HostileServer server =
        new HostileServer(
            peer -> {
              peer.readRequest();
              peer.write("HTTP/1.1 " + answer);
              peer.awaitClose();
            })) {
      Response response = (Response) send(server, LONG);
      assertThat(response.status()).isEqualTo(status);
      assertThat(response.bodyExcerpt()).asString(UTF_8).isEqualTo(excerpt);
      assertThat(response.retryAfter()).isEqualTo(status < 300 ? List.of() : List.of("7"));
      if (status != 204) {
        // Long before the attempt's own time is up, which is as long as this waits for it.
        assertThat(server.closedByClient.await(300, SECONDS)).isTrue();
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "'200 OK\r\nContent-Length: 10\r\n\r\nhalf', 200, half",
    "'200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nok', 200, ok",
    "'200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\nzz\r\n', 200, ok",
    "'429 Slow\r\nRetry-After: 7\r\nContent-Length: 10\r\n\r\nhalf', 429, half",
    "'503 Down\r\nRetry-After: 7\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', 503, ''",
  })
  void theHeadDecidesThoughTheBodyBreaksOff(String answer, int status, String excerpt)
      throws Exception {
    for (boolean reset : new boolean[] {false, true}) {
      try (HostileServer server =
          new HostileServer(
              peer -> {
                peer.readRequest();
                peer.write("HTTP/1.1 " + answer);
                if (reset) {
                  Thread.sleep(20);
                  peer.reset();
                }
              })) {
        Response response = (Response) send(server, LONG);
        assertThat(response.status()).isEqualTo(status);
        assertThat(response.bodyExcerpt()).asString(UTF_8).isEqualTo(excerpt);
        assertThat(response.retryAfter()).isEqualTo(status < 300 ? List.of() : List.of("7"));
      }
    }
  }

  @Test
  void everyRetryAfterIsKept() throws Exception {
    try (HostileServer server =
        new HostileServer(
            answering(head("429 Slow", "Retry-After: 1", "Retry-After: 6", "Content-Length: 0")))) {
      assertThat(((Response) send(server, LONG)).retryAfter()).containsExactly("1", "6");
    }
  }

  @Test
  void aBodyInDripsIsCutOff() throws Exception {
    try (HostileServer server =
        new HostileServer(
            peer -> {
              peer.readRequest();
              peer.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
              while (true) {
                peer.write("1\r\nx\r\n");
                Thread.sleep(20);
              }
            })) {
      assertThat(((Response) send(server, LONG)).status()).isEqualTo(200);
      assertThat(server.closedByClient.await(300, SECONDS)).isTrue();
    }
  }

  @Test
  void aServerThatDoesNotAcceptTimesOutUnsent() throws Exception {
    // A full backlog lets the kernel drop further connection requests.
    InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
    List<Socket> filling = new ArrayList<>();
    try (ServerSocket full = new ServerSocket(0, 1, loopback)) {
      for (int i = 0; i < 8; i++) {
        Socket socket = new Socket();
        filling.add(socket);
        try {
          socket.connect(full.getLocalSocketAddress(), 100);
        } catch (IOException filled) {
          break;
        }
      }
      EndpointUrl url = url("http://127.0.0.1:" + full.getLocalPort() + "/");
      HttpOutcome outcome = sendBriefly(sender, url, "waiting for its turn");
      assertThat(outcome).isInstanceOf(TimedOut.class);
      if (((TimedOut) outcome).neverSent()) {
        assertThat(((TimedOut) outcome).detail()).contains("connecting to 127.0.0.1");
      }
    } finally {
      for (Socket socket : filling) {
        socket.close();
      }
    }
  }

  @Test
  void aRefusedConnectionIsNamed() throws Exception {
    try (RefusingPort port = RefusingPort.take()) {
      EndpointUrl url = url("http://127.0.0.1:" + port.number() + "/");
      ConnectionFailed failed = (ConnectionFailed) send(attempt(url, LONG));
      assertThat(failed.detail())
          .isEqualTo("connection to 127.0.0.1:" + port.number() + " refused");
      assertThat(failed.neverSent()).isTrue();
    }
  }

  @Test
  void aResetIsNamed() throws Exception {
    try (HostileServer server =
        new HostileServer(
            peer -> {
              peer.readRequest();
              peer.reset();
            })) {
      ConnectionFailed failed = (ConnectionFailed) send(server, LONG);
      assertThat(failed.detail()).contains("127.0.0.1:" + server.port()).contains("reset");
      assertThat(failed.neverSent()).isFalse();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "X-A, 'a\r\nX-B: b', U+000D at index 1",
    "X-A, 'a\nX-B: b', U+000A at index 1",
    "X-A, 'a\u0000', U+0000 at index 1",
    "X-A, 'a\u010ab', U+010A at index 1",
    "X-A, ä, U+00E4 at index 0",
    "'X-A\r\nX-B', a, U+000D at index 3",
    "X A, a, U+0020 at index 1",
    "X-A:, a, U+003A at index 3",
    "'', a, must not be empty",
    "Host, evil.example, must not be given",
    "content-LENGTH, 5, must not be given",
    "Transfer-Encoding, chunked, must not be given",
    "Connection, close, must not be given",
  })
  void headersThatWouldBreakTheRequestApartAreNotSent(String name, String value, String rule)
      throws Exception {
    try (HostileServer server = new HostileServer(answering(OK))) {
      HttpAttempt attempt =
          new HttpAttempt(
              url("http://127.0.0.1:" + server.port() + "/"),
              List.of(Map.entry(name, value)),
              new byte[0],
              "text/plain",
              LONG,
              HttpOptions.DEFAULT);
      assertThat(((Refused) send(attempt)).detail()).contains(rule);
      assertThat(server.requests()).isEmpty();
    }
  }

  @Test
  void aContentTypeWithALineBreakIsNotSent() throws Exception {
    HttpAttempt attempt =
        new HttpAttempt(
            url("http://127.0.0.1:1/"),
            List.of(),
            new byte[0],
            "text/plain\r\nX: y",
            LONG,
            HttpOptions.DEFAULT);
    assertThat(((Refused) send(attempt)).detail()).contains("Content-Type").contains("U+000D");
  }

  @Test
  void manyAttemptsToOneEndpointRunAtOnce() throws Exception {
    CountDownLatch allThere = new CountDownLatch(64);
    try (HostileServer server =
        new HostileServer(
            peer -> {
              peer.readRequest();
              allThere.countDown();
              allThere.await();
              peer.write(OK);
            })) {
      List<CompletableFuture<HttpOutcome>> outcomes = new ArrayList<>();
      for (int i = 0; i < 64; i++) {
        CompletableFuture<HttpOutcome> outcome = new CompletableFuture<>();
        outcomes.add(outcome);
        sender.send(
            attempt(url("http://127.0.0.1:" + server.port() + "/"), LONG), outcome::complete);
      }
      for (CompletableFuture<HttpOutcome> outcome : outcomes) {
        assertThat(await(outcome)).isInstanceOf(Response.class);
      }
    }
  }

  @Test
  void closingEndsWhatIsInFlightExactlyOnce() throws Exception {
    CountDownLatch arrived = new CountDownLatch(2);
    try (HostileServer server =
        new HostileServer(
            peer -> {
              peer.readRequest();
              arrived.countDown();
              peer.awaitClose();
            })) {
      EndpointUrl url = url("http://127.0.0.1:" + server.port() + "/");
      AtomicInteger calls = new AtomicInteger();
      List<CompletableFuture<HttpOutcome>> outcomes = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        CompletableFuture<HttpOutcome> outcome = new CompletableFuture<>();
        outcomes.add(outcome);
        sender.send(
            attempt(url, LONG),
            result -> {
              calls.incrementAndGet();
              outcome.complete(result);
            });
      }
      arrived.await();
      sender.close();
      for (CompletableFuture<HttpOutcome> outcome : outcomes) {
        ConnectionFailed failed = (ConnectionFailed) await(outcome);
        assertThat(failed.detail()).contains("the sender was closed");
        assertThat(failed.neverSent()).isFalse();
      }
      ConnectionFailed late = (ConnectionFailed) send(attempt(url, LONG));
      assertThat(late.neverSent()).isTrue();
      assertThat(calls).hasValue(2);
    }
  }

  @Test
  void aReceiverThatThrowsHarmsNobody() throws Exception {
    try (HostileServer server = new HostileServer(answering(OK))) {
      CountDownLatch called = new CountDownLatch(1);
      sender.send(
          attempt(url("http://127.0.0.1:" + server.port() + "/"), LONG),
          outcome -> {
            called.countDown();
            throw new IllegalStateException("receiver");
          });
      called.await();
      assertThat(send(server, LONG)).isInstanceOf(Response.class);
    }
  }
}
