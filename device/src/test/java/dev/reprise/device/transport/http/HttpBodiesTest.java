package dev.reprise.device.transport.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.credential.Credential;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.fixture.RecordingDevice;
import dev.reprise.device.fixture.SocketServer;
import dev.reprise.device.message.Message;
import dev.reprise.device.transport.SendCallback;
import dev.reprise.fixtures.Await;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.ref.WeakReference;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bodies of requests, on their way and afterwards. */
class HttpBodiesTest {
  private static final String ACCEPTED = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

  /** More than the systems hold between a device and a server. */
  private static final int LARGE_BYTES = 32 << 20;

  private static HttpTransport transport(SocketServer server) {
    return new HttpTransport(
        HttpSettings.builder(URI.create("http://127.0.0.1:" + server.port() + "/"))
            .requestTimeout(Duration.ofHours(1))
            .build());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 16 * 1024, 16 * 1024 + 1, 300_000})
  void everyBodyHasLeftBeforeItIsAcknowledged(int bytes) throws Exception {
    try (SocketServer server = SocketServer.start(SocketServer.answering(ACCEPTED))) {
      RecordingDevice device = RecordingDevice.ready(transport(server), Credential.NONE);
      List<String> told = new CopyOnWriteArrayList<>();
      CompletableFuture<Boolean> ended = new CompletableFuture<>();
      device.connection.send(
          Message.of(new byte[bytes]),
          1,
          new SendCallback() {
            @Override
            public void onLeft() {
              told.add("left");
            }

            @Override
            public void onAcknowledged() {
              told.add("acknowledged");
              ended.complete(true);
            }

            @Override
            public void onFailed(TransportException cause) {
              ended.completeExceptionally(cause);
            }
          });
      assertThat(RecordingDevice.within(ended)).isTrue();
      assertThat(told).containsExactly("left", "acknowledged");
      assertThat(device.connection.hasMoved()).isFalse();
      device.connection.close();
    }
  }

  /** A server that answers when it has the head of a request, and then reads some of the body. */
  private static RecordingDevice answeredEarly(ServerSocket server, long readBytes)
      throws Exception {
    Thread thread =
        new Thread(
            () -> {
              try (Socket socket = server.accept()) {
                InputStream in = socket.getInputStream();
                for (int line = 1; line > 0; ) {
                  line = in.read() == '\n' ? (in.read() == '\r' ? 0 : 1) : 1;
                }
                socket.getOutputStream().write(ACCEPTED.getBytes(ISO_8859_1));
                in.skipNBytes(readBytes + 1);
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            },
            "early-server");
    thread.setDaemon(true);
    thread.start();
    return RecordingDevice.ready(
        new HttpTransport(
            HttpSettings.builder(URI.create("http://127.0.0.1:" + server.getLocalPort() + "/"))
                .requestTimeout(Duration.ofHours(1))
                .build()),
        Credential.NONE);
  }

  @Test
  void anEarlySuccessCountsWhenTheBodyHasLeft() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      RecordingDevice device = answeredEarly(server, LARGE_BYTES);
      assertThat(RecordingDevice.within(device.send(Message.of(new byte[LARGE_BYTES])))).isEmpty();
    }
  }

  @Test
  void anEarlySuccessDoesNotCountForABodyThatIsCutOff() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      RecordingDevice device = answeredEarly(server, 100);
      CompletableFuture<Optional<TransportException>> outcome =
          device.send(Message.of(new byte[LARGE_BYTES]));
      assertThat(RecordingDevice.within(device.lost).isRetryable()).isTrue();
      assertThat(outcome).isNotDone();
    }
  }

  @Test
  void noBodyIsHeldOnceItIsAcknowledged() throws Exception {
    try (SocketServer server = SocketServer.start(SocketServer.answering(ACCEPTED))) {
      RecordingDevice device = RecordingDevice.ready(transport(server), Credential.NONE);
      WeakReference<byte[]> body = acknowledged(device);
      Await.until(
          "the body is free, long before the time of the request is over",
          () -> {
            System.gc();
            return body.get() == null;
          });
      device.connection.close();
    }
  }

  private static WeakReference<byte[]> acknowledged(RecordingDevice device) throws Exception {
    byte[] body = new byte[1 << 20];
    assertThat(RecordingDevice.within(device.send(Message.of(body)))).isEmpty();
    return new WeakReference<>(body);
  }

  @Test
  void aSlowLinkIsLearnedAndForgotten() {
    LinkSpeed speed = new LinkSpeed();
    long usual = Duration.ofSeconds(30).toNanos();
    assertThat(speed.expectedNanos(1_000_000)).isZero();
    // A body that was answered in time teaches nothing.
    speed.answered(1_000_000, usual - 1, usual);
    assertThat(speed.expectedNanos(1_000_000)).isZero();
    // Silence doubles what is expected, and an answer tells what it took.
    speed.silent(1_000_000, usual);
    assertThat(speed.expectedNanos(1_000_000)).isBetween(2 * usual - 1_000_000, 2 * usual);
    speed.answered(1_000_000, 50_000_000_000L, usual);
    assertThat(speed.expectedNanos(1_000_000)).isEqualTo(75_000_000_000L);
    speed.answered(1_000_000, 1_000_000_000L, usual);
    assertThat(speed.expectedNanos(1_000_000)).isZero();
    // No link is expected to be slower than 2 KiB/s, however long it is silent.
    speed.silent(1_000_000, Duration.ofDays(1).toNanos());
    assertThat(speed.expectedNanos(1_000_000)).isLessThan(Duration.ofSeconds(489).toNanos());
  }

  @Test
  void aSmallBodyThatIsNotAnsweredTellsLittleOfALargeOne() {
    LinkSpeed speed = new LinkSpeed();
    long usual = Duration.ofSeconds(60).toNanos();
    speed.silent(20_000, usual);
    // No more than twice the time that was really waited.
    assertThat(speed.expectedNanos(16 << 20)).isEqualTo(2 * usual);
    assertThat(speed.expectedNanos(20_000)).isLessThan(Duration.ofSeconds(10).toNanos());
    // A body that is slow itself gets longer and longer, and keeps that when a smaller one passes.
    speed.silent(16 << 20, 3 * usual);
    assertThat(speed.expectedNanos(16 << 20)).isEqualTo(6 * usual);
    speed.answered(8 << 20, 2 * usual, usual);
    assertThat(speed.expectedNanos(16 << 20)).isBetween(6 * usual - (16 << 20), 6 * usual);
    speed.answered(16 << 20, usual - 1, usual);
    assertThat(speed.expectedNanos(16 << 20)).isZero();
    speed.silent(20_000, usual);
    assertThat(speed.expectedNanos(16 << 20)).isEqualTo(2 * usual);
  }
}
