package dev.reprise.device.transport.http;

import static dev.reprise.device.fixture.RecordingDevice.within;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.credential.Credential;
import dev.reprise.device.error.ErrorKind;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.fixture.RecordingDevice;
import dev.reprise.device.fixture.SocketServer;
import dev.reprise.device.message.Message;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What no orderly server does. */
@Tag("slow")
class HttpFaultsTest {
  @Test
  void refusedConnectionIsLost() throws Exception {
    int port;
    try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = closed.getLocalPort();
    }
    assertLost(sendTo(port), "connection-refused");
  }

  @Test
  void serverThatNeverTakesAConnectionIsLost() throws Exception {
    List<SocketChannel> waiting = new ArrayList<>();
    try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      // With its queue full, the kernel leaves whoever comes next without an answer.
      for (int i = 0; i < 8; i++) {
        SocketChannel channel = SocketChannel.open();
        waiting.add(channel);
        channel.configureBlocking(false);
        channel.connect(full.getLocalSocketAddress());
      }
      RecordingDevice device =
          RecordingDevice.ready(new HttpTransport(impatient(full.getLocalPort())), Credential.NONE);
      var unused = device.send(Message.of("x"));

      TransportException cause = within(device.lost);
      assertThat(cause.code()).isEqualTo("connect-timeout");
      assertThat(cause.isRetryable()).isTrue();
    } finally {
      for (SocketChannel channel : waiting) {
        channel.close();
      }
    }
  }

  @Test
  void hostThatNobodyKnowsIsLost() throws Exception {
    RecordingDevice device =
        RecordingDevice.ready(
            new HttpTransport(HttpSettings.builder(URI.create("http://nobody.invalid/")).build()),
            Credential.NONE);
    var unused = device.send(Message.of("x"));

    assertLost(device, "unknown-host");
  }

  @Test
  void resetAfterTheRequestIsLostAndTheRequestIsNotSentAgain() throws Exception {
    try (SocketServer server =
        SocketServer.start(
            socket -> {
              socket.setSoLinger(true, 0);
              socket.close();
            })) {
      assertLost(sendTo(server.port()), "connection-reset");
      assertThat(server.requests()).hasSize(1);
    }
  }

  @Test
  void endWithoutAnswerIsLostAndTheRequestIsNotSentAgain() throws Exception {
    try (SocketServer server = SocketServer.start(socket -> socket.close())) {
      assertLost(sendTo(server.port()), "connection-closed");
      assertThat(server.requests()).hasSize(1);
    }
  }

  @Test
  void answerThatIsNotHttpCostsNoMessage() throws Exception {
    try (SocketServer server =
        SocketServer.start(SocketServer.answering("SSH-2.0-OpenSSH_9.2\r\n\r\n"))) {
      assertLost(sendTo(server.port()), "unreadable-answer");
    }
  }

  @Test
  void silenceIsATimeoutOfTheMessageAndEndsTheRequest() throws Exception {
    try (SocketServer server = SocketServer.start(socket -> {})) {
      RecordingDevice device =
          RecordingDevice.ready(new HttpTransport(patient(server.port())), Credential.NONE);

      TransportException cause = within(device.send(Message.of("x"))).orElseThrow();

      assertThat(cause.code()).isEqualTo("read-timeout");
      assertThat(cause.kind()).isEqualTo(ErrorKind.TIMEOUT);
      assertThat(cause.isRetryable()).isTrue();
      assertThat(cause).hasMessageContaining("no answer within PT3S");
      assertThat(device.lost).isNotDone();
      assertThat(device.connection.capacity()).isEqualTo(1);
    }
  }

  @Test
  void answerThatNeverEndsIsATimeoutToo() throws Exception {
    try (SocketServer server =
        SocketServer.start(
            SocketServer.answering("HTTP/1.1 500 Broken\r\nContent-Length: 10\r\n\r\nabc"))) {
      RecordingDevice device =
          RecordingDevice.ready(new HttpTransport(patient(server.port())), Credential.NONE);

      assertThat(within(device.send(Message.of("x"))).orElseThrow().code())
          .isEqualTo("read-timeout");
    }
  }

  @Test
  void bodyThatBreaksOffLeavesTheStatusThatCameBefore() throws Exception {
    try (SocketServer server =
        SocketServer.start(
            socket -> {
              SocketServer.answering("HTTP/1.1 503 Busy\r\nContent-Length: 10\r\n\r\nabc")
                  .answer(socket);
              socket.close();
            })) {
      RecordingDevice device =
          RecordingDevice.ready(
              new HttpTransport(HttpSettings.builder(uri(server.port())).build()), Credential.NONE);

      TransportException cause = within(device.send(Message.of("x"))).orElseThrow();
      assertThat(cause.code()).isEqualTo("503");
      assertThat(cause).hasMessageEndingWith(", abc");
    }
  }

  @Test
  void hugeErrorPageBecomesAShortMessage() throws Exception {
    try (SocketServer server =
        SocketServer.start(
            socket -> {
              OutputStream out = socket.getOutputStream();
              String head = "HTTP/1.1 500 Broken\r\nContent-Length: 20000000\r\n\r\n";
              out.write(head.getBytes(ISO_8859_1));
              byte[] page = "<html>\n".repeat(1000).getBytes(ISO_8859_1);
              for (int left = 20_000_000; left > 0; left -= page.length) {
                out.write(page, 0, Math.min(left, page.length));
              }
            })) {
      RecordingDevice device =
          RecordingDevice.ready(
              new HttpTransport(HttpSettings.builder(uri(server.port())).build()), Credential.NONE);

      TransportException cause = within(device.send(Message.of("x"))).orElseThrow();
      assertThat(cause.code()).isEqualTo("500");
      assertThat(cause.getMessage()).contains("<html> <html>").hasSizeLessThan(400);
      assertThat(cause.getMessage()).doesNotContain("\n");
    }
  }

  @Test
  void dateOfRetryAfterIsCountedFromTheServersClock() throws Exception {
    try (SocketServer server =
        SocketServer.start(
            SocketServer.answering(
                """
                HTTP/1.1 429 Slow Down\r
                Content-Length: 0\r
                Date: Thu, 01 Jan 1970 00:00:10 GMT\r
                Retry-After: Thu, 01 Jan 1970 00:01:40 GMT\r
                \r
                """))) {
      RecordingDevice device =
          RecordingDevice.ready(
              new HttpTransport(HttpSettings.builder(uri(server.port())).build()), Credential.NONE);

      assertThat(within(device.send(Message.of("x"))).orElseThrow().retryAfter())
          .isEqualTo(Duration.ofSeconds(90));
    }
  }

  @Test
  void whatIsUnderWayWhenTheConnectionIsLostHasNoOutcome() throws Exception {
    AtomicInteger requests = new AtomicInteger();
    CountDownLatch firstArrived = new CountDownLatch(1);
    try (SocketServer server =
        SocketServer.start(
            socket -> {
              firstArrived.countDown();
              // The first request waits for ever; the second one finds its connection reset.
              if (requests.incrementAndGet() == 2) {
                socket.setSoLinger(true, 0);
                socket.close();
              }
            })) {
      RecordingDevice device =
          RecordingDevice.ready(
              new HttpTransport(HttpSettings.builder(uri(server.port())).build()), Credential.NONE);
      var first = device.send(Message.of("1"));
      assertThat(firstArrived.await(30, TimeUnit.SECONDS)).isTrue();
      var second = device.send(Message.of("2"));

      within(device.lost);
      assertThat(first).isNotDone();
      assertThat(second).isNotDone();
      assertThat(device.connection.capacity()).isZero();
    }
  }

  private static RecordingDevice sendTo(int port) throws Exception {
    RecordingDevice device =
        RecordingDevice.ready(
            new HttpTransport(HttpSettings.builder(uri(port)).build()), Credential.NONE);
    var unused = device.send(Message.of("x"));
    return device;
  }

  private static void assertLost(RecordingDevice device, String code) throws Exception {
    TransportException cause = within(device.lost);
    assertThat(cause.code()).isEqualTo(code);
    assertThat(cause.kind()).isEqualTo(ErrorKind.NETWORK);
    assertThat(cause.isRetryable()).isTrue();
    assertThat(device.connection.capacity()).isZero();
  }

  private static HttpSettings impatient(int port) {
    return HttpSettings.builder(uri(port)).requestTimeout(Duration.ofMillis(300)).build();
  }

  /** Even a machine that stands still for a while connects within this. */
  private static HttpSettings patient(int port) {
    return HttpSettings.builder(uri(port)).requestTimeout(Duration.ofSeconds(3)).build();
  }

  private static URI uri(int port) {
    return URI.create("http://127.0.0.1:" + port + "/");
  }
}
