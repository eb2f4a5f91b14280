package dev.reprise.device.transport.http;

import static dev.reprise.device.fixture.RecordingDevice.within;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.credential.Credential;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.fixture.RecordingDevice;
import dev.reprise.device.fixture.SocketServer;
import dev.reprise.device.message.Message;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which requests share a connection, and what a request may say. */
class HttpConnectionsTest {
  private static final String ACCEPTED = "HTTP/1.1 200 OK\r\n%sContent-Length: 0\r\n\r\n";

  private static RecordingDevice device(SocketServer server) throws Exception {
    return RecordingDevice.ready(
        new HttpTransport(settings(server).parallelRequests(2).build()), Credential.NONE);
  }

  private static HttpSettings.Builder settings(SocketServer server) {
    return HttpSettings.builder(URI.create("http://127.0.0.1:" + server.port() + "/"));
  }

  private static SocketServer accepting(String headers) throws Exception {
    return SocketServer.start(SocketServer.answering(ACCEPTED.formatted(headers)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "Keep-Alive: timeout=60\r\n", "Keep-Alive: max=100\r\nConnection: x\r\n"})
  void requestsOfAllDevicesShareAConnection(String headers) throws Exception {
    try (SocketServer server = accepting(headers)) {
      for (int i = 0; i < 5; i++) {
        assertThat(within(device(server).send(Message.of("x")))).isEmpty();
      }
      assertThat(server.requests()).hasSize(5);
      assertThat(server.connections()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Connection: close\r\n",
        "Keep-Alive: timeout=1\r\n",
        "keep-alive: max=3, Timeout=0\r\n"
      })
  void aConnectionThatTheServerIsAboutToEndIsNotUsedAgain(String headers) throws Exception {
    try (SocketServer server = accepting(headers)) {
      RecordingDevice device = device(server);
      for (int i = 0; i < 5; i++) {
        assertThat(within(device.send(Message.of("x")))).isEmpty();
      }
      assertThat(server.connections()).isEqualTo(5);
      assertThat(device.lost).isNotDone();
    }
  }

  @Test
  void aConnectionServesOneRequestAtATime() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    CountDownLatch both = new CountDownLatch(2);
    try (SocketServer server =
        SocketServer.start(
            socket -> {
              both.countDown();
              assertThat(go.await(5, TimeUnit.MINUTES)).isTrue();
              SocketServer.answering(ACCEPTED.formatted("")).answer(socket);
            })) {
      RecordingDevice device = device(server);
      CompletableFuture<Optional<TransportException>> first = device.send(Message.of("1"));
      CompletableFuture<Optional<TransportException>> second = device.send(Message.of("2"));
      assertThat(both.await(5, TimeUnit.MINUTES)).isTrue();
      go.countDown();

      assertThat(within(first)).isEmpty();
      assertThat(within(second)).isEmpty();
      assertThat(server.connections()).isEqualTo(2);
    }
  }

  @Test
  void interimAnswersArePassedOver() throws Exception {
    try (SocketServer server =
        SocketServer.start(
            SocketServer.answering(
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
                    + "HTTP/1.1 409 Conflict\r\nContent-Length: 3\r\n\r\nabc"))) {
      TransportException cause = within(device(server).send(Message.of("x"))).orElseThrow();

      assertThat(cause.code()).isEqualTo("409");
      assertThat(cause).hasMessageEndingWith(", abc");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"Host", "content-length", "Transfer-Encoding", "Connection", "a b"})
  void headersOfTheTransportCannotBeSet(String name) throws Exception {
    try (SocketServer server = accepting("")) {
      HttpEncoding encoding =
          message -> new HttpEncoding.Content(Map.of(name, "1"), message.body());
      RecordingDevice device =
          RecordingDevice.ready(
              new HttpTransport(settings(server).encoding(encoding).build()), Credential.NONE);

      TransportException cause = within(device.send(Message.of("x"))).orElseThrow();

      assertThat(cause.code()).isEqualTo("invalid-message");
      assertThat(server.connections()).isZero();
    }
  }

  @Test
  void theHostAndTheTargetAreThoseOfTheAddress() throws Exception {
    try (SocketServer server = accepting("")) {
      URI uri = URI.create("http://user:pass@LOCALHOST:" + server.port() + "?a=%20b#part");
      RecordingDevice device =
          RecordingDevice.ready(
              new HttpTransport(HttpSettings.builder(uri).build()), Credential.NONE);
      assertThat(within(device.send(Message.of("x")))).isEmpty();

      assertThat(server.requests().get(0))
          .startsWith("POST /?a=%20b HTTP/1.1\r\n")
          .containsIgnoringCase("\r\nhost: localhost:" + server.port() + "\r\n")
          .doesNotContain("pass");
    }
  }
}
