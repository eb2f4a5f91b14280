package dev.reprise.device.transport.http;

import static dev.reprise.device.fixture.RecordingDevice.within;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.credential.Credential;
import dev.reprise.device.error.ErrorKind;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.fixture.RecordingDevice;
import dev.reprise.device.fixture.SocketServer;
import dev.reprise.device.fixture.UnknownHost;
import dev.reprise.device.message.Message;
import dev.reprise.device.transport.EventLoops;
import dev.reprise.fixtures.Await;
import dev.reprise.testkit.RefusingPort;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What no orderly server does. */
@Tag("slow")
class HttpFaultsTest {
  /** A request timeout that grows, grows to this. */
  private static final Duration MAX_TIMEOUT = Duration.ofSeconds(32);

  @Test
  void refusedConnectionIsLost() throws Exception {
    try (RefusingPort port = RefusingPort.take()) {
      assertLost(sendTo(port.number()), "connection-refused");
    }
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
      // It holds one more than it was asked for.
      Await.until("the queue is full", () -> connected(waiting) >= 2);
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
  void serverThatNeverEncryptsIsLost() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      RecordingDevice device =
          RecordingDevice.ready(
              new HttpTransport(
                  HttpSettings.builder(URI.create("https://127.0.0.1:" + silent.getLocalPort()))
                      .requestTimeout(Duration.ofMillis(300))
                      .build()),
              Credential.NONE);
      var unused = device.send(Message.of("x"));

      TransportException cause = within(device.lost);
      assertThat(cause.code()).isEqualTo("connect-timeout");
      assertThat(cause).hasMessageEndingWith("no connection within PT0.3S");
    }
  }

  @Test
  void hostThatNobodyKnowsIsLost() throws Exception {
    RecordingDevice device =
        RecordingDevice.ready(
            new HttpTransport(
                HttpSettings.builder(URI.create("http://" + UnknownHost.NAME + "/")).build()),
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
    Sent sent = sendBeyond(failure -> failure.code().equals("connect-timeout"), socket -> {});

    TransportException cause = sent.failure().orElseThrow();
    assertThat(cause.code()).isEqualTo("read-timeout");
    assertThat(cause.kind()).isEqualTo(ErrorKind.TIMEOUT);
    assertThat(cause.isRetryable()).isTrue();
    assertThat(cause).hasMessageContaining("no answer within " + sent.timeout());
    assertThat(sent.device().lost).isNotDone();
    sent.device().awaitCapacity(1);
  }

  @Test
  void answerThatCameDuringAPauseOfTheProcessCounts() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    try (SocketServer server =
        SocketServer.start(
            socket -> {
              assertThat(go.await(5, TimeUnit.MINUTES)).isTrue();
              SocketServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").answer(socket);
            })) {
      // Long enough that a machine that stands still gets the request out.
      Duration timeout = Duration.ofSeconds(8);
      RecordingDevice device =
          RecordingDevice.ready(
              new HttpTransport(
                  HttpSettings.builder(uri(server.port())).requestTimeout(timeout).build()),
              Credential.NONE);
      var outcome = device.send(Message.of("x"));
      Await.until("the request has come", () -> server.requests().size() == 1);
      CountDownLatch others = new CountDownLatch(1);
      CountDownLatch own = new CountDownLatch(1);
      Executor loop = Objects.requireNonNull(device.connection.executor());
      EventLoops.shared().forEach(each -> each.execute(() -> hold(each == loop ? own : others)));
      go.countDown();
      long resumed = System.nanoTime() + timeout.plusSeconds(1).toNanos();
      Await.until("the time is over", () -> System.nanoTime() - resumed > 0);
      own.countDown();
      others.countDown();

      assertThat(within(outcome)).isEmpty();
    }
  }

  private static void hold(CountDownLatch latch) {
    try {
      assertThat(latch.await(5, TimeUnit.MINUTES)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void bodyThatNeverEndsLeavesTheStatusThatCameBefore() throws Exception {
    Sent accepted =
        sendBeyond(
            failure -> failure.code().endsWith("-timeout"),
            SocketServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"));
    Sent refused =
        sendBeyond(
            // Between the status and what there is of the body, it may stand still, too.
            failure -> !failure.getMessage().endsWith(", abc"),
            SocketServer.answering("HTTP/1.1 500 No\r\nContent-Length: 10\r\n\r\nabc"));

    assertThat(accepted.failure()).isEmpty();
    TransportException cause = refused.failure().orElseThrow();
    assertThat(cause.code()).isEqualTo("500");
    assertThat(cause).hasMessageEndingWith(", abc");
    refused.device().awaitCapacity(1);
  }

  @Test
  void bodyThatBreaksOffTakesNoAcknowledgementBack() throws Exception {
    try (SocketServer server =
        SocketServer.start(
            socket -> {
              SocketServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
                  .answer(socket);
              socket.close();
            })) {
      RecordingDevice device =
          RecordingDevice.ready(
              new HttpTransport(HttpSettings.builder(uri(server.port())).build()), Credential.NONE);

      assertThat(within(device.send(Message.of("x")))).isEmpty();
    }
  }

  // The end of the connection races with the answer: the client may forget the status that came.
  @RepeatedTest(100)
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
              // The first request waits for ever; the second one finds its connection reset.
              if (requests.incrementAndGet() == 2) {
                socket.setSoLinger(true, 0);
                socket.close();
              }
              firstArrived.countDown();
            })) {
      RecordingDevice device =
          RecordingDevice.ready(
              new HttpTransport(HttpSettings.builder(uri(server.port())).build()), Credential.NONE);
      var first = device.send(Message.of("1"));
      assertThat(firstArrived.await(300, TimeUnit.SECONDS)).isTrue();
      var second = device.send(Message.of("2"));

      within(device.lost);
      assertThat(first).isNotDone();
      assertThat(second).isNotDone();
      assertThat(device.connection.capacity()).isZero();
    }
  }

  private static long connected(List<SocketChannel> channels) {
    return channels.stream()
        .filter(
            channel -> {
              try {
                return channel.finishConnect();
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            })
        .count();
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

  /** What became of a message, on a device with this request timeout. */
  private record Sent(
      RecordingDevice device, Duration timeout, Optional<TransportException> failure) {}

  /**
   * Sends a message to a server that never ends its answer. A machine that stands still for longer
   * than the request timeout does not get as far as that, but fails before; then another device has
   * twice the time.
   */
  private static Sent sendBeyond(Predicate<TransportException> tooSoon, SocketServer.Script script)
      throws Exception {
    Duration timeout = Duration.ofSeconds(1);
    while (true) {
      Sent sent = sendWithin(timeout, script);
      if (sent.failure().filter(tooSoon).isEmpty() || timeout.compareTo(MAX_TIMEOUT) >= 0) {
        return sent;
      }
      timeout = timeout.multipliedBy(2);
    }
  }

  private static Sent sendWithin(Duration timeout, SocketServer.Script script) throws Exception {
    try (SocketServer server = SocketServer.start(script)) {
      RecordingDevice device =
          RecordingDevice.ready(
              new HttpTransport(
                  HttpSettings.builder(uri(server.port())).requestTimeout(timeout).build()),
              Credential.NONE);
      var outcome = device.send(Message.of("x"));
      within(CompletableFuture.anyOf(outcome, device.lost));
      return new Sent(
          device, timeout, outcome.isDone() ? outcome.get() : Optional.of(device.lost.get()));
    }
  }

  private static URI uri(int port) {
    return URI.create("http://127.0.0.1:" + port + "/");
  }
}
