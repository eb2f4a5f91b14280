package dev.reprise.device.transport.http;

import static dev.reprise.device.fixture.RecordingDevice.within;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.reprise.device.credential.Credential;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.fixture.RecordingDevice;
import dev.reprise.device.fixture.SocketServer;
import dev.reprise.device.message.Message;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Servers that answer nonsense: the request ends with a reason, and can be repeated. */
@Tag("slow")
final class HttpNonsenseTest {
  private static final int RANDOM_ANSWERS = 100;
  private static final int MAX_RANDOM_BYTES = 200;
  private static final String RIGHT =
      "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok";

  /** The server keeps the connection open in all of them: the device has to end the request. */
  static List<Arguments> nonsense() {
    List<Arguments> all = new ArrayList<>();
    all.add(arguments("another protocol", "SSH-2.0-OpenSSH_9.2\r\n\r\n"));
    all.add(arguments("a line without an end", "x".repeat(100_000)));
    all.add(arguments("no status", "HTTP/1.1\r\n\r\n"));
    all.add(arguments("a status of letters", "HTTP/1.1 abc OK\r\n\r\n"));
    all.add(arguments("a status below 100", "HTTP/1.1 -20 OK\r\n\r\n"));
    all.add(arguments("another version", "HTTP/7.9 200 OK\r\n\r\n"));
    all.add(arguments("a header without a colon", "HTTP/1.1 500 No\r\nwhat is this\r\n\r\n"));
    all.add(arguments("a header without a name", "HTTP/1.1 500 No\r\n: x\r\n\r\n"));
    all.add(arguments("a length of letters", "HTTP/1.1 500 No\r\nContent-Length: x\r\n\r\n"));
    all.add(arguments("a length below 0", "HTTP/1.1 500 No\r\nContent-Length: -7\r\n\r\n"));
    all.add(
        arguments("headers without an end", "HTTP/1.1 500 No\r\n" + "X: y\r\n".repeat(200_000)));
    all.add(
        arguments(
            "chunks of letters", "HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"));
    all.add(
        arguments(
            "a chunk below 0", "HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n"));
    return all;
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("nonsense")
  void endsTheRequestAndSaysWhy(String what, String answer) throws Exception {
    CompletableFuture<Boolean> ended = new CompletableFuture<>();
    try (SocketServer server =
        SocketServer.start(
            socket -> {
              SocketServer.answering(answer).answer(socket);
              readToEnd(socket);
              ended.complete(true);
            })) {
      RecordingDevice device = device(server);
      var outcome = device.send(Message.of("x"));
      within(CompletableFuture.anyOf(outcome, device.lost));
      TransportException cause =
          device.lost.isDone() ? device.lost.get() : outcome.get().orElseThrow();
      assertThat(cause.code()).as("%s", cause).isNotEqualTo("unknown");
      assertThat(cause.isRetryable()).isTrue();
      assertThat(within(ended)).as("the device ends the connection").isTrue();
    }
  }

  @Test
  void endsWithTheServerWhateverItSaid() throws Exception {
    for (int seed = 0; seed < RANDOM_ANSWERS; seed++) {
      Random random = new Random(seed);
      byte[] noise = new byte[random.nextInt(MAX_RANDOM_BYTES)];
      random.nextBytes(noise);
      assertEnds(noise, "noise of seed " + seed);
      assertEnds(damaged(random), "damage of seed " + seed);
    }
  }

  private static void assertEnds(byte[] answer, String what) throws Exception {
    try (SocketServer server =
        SocketServer.start(
            socket -> {
              socket.getOutputStream().write(answer);
              socket.shutdownOutput();
              readToEnd(socket);
            })) {
      RecordingDevice device = device(server);
      var outcome = device.send(Message.of("x"));
      within(CompletableFuture.anyOf(outcome, device.lost));
      if (device.lost.isDone()) {
        assertThat(device.lost.get().code()).isNotEqualTo("unknown");
      }
    } catch (AssertionError e) {
      throw new AssertionError(what + ": " + HexFormat.of().formatHex(answer), e);
    }
  }

  private static byte[] damaged(Random random) {
    byte[] answer = RIGHT.getBytes(ISO_8859_1);
    for (int i = 0; i <= random.nextInt(3); i++) {
      answer[random.nextInt(answer.length)] = (byte) random.nextInt();
    }
    return answer;
  }

  private static RecordingDevice device(SocketServer server) throws Exception {
    return RecordingDevice.ready(
        new HttpTransport(
            HttpSettings.builder(URI.create("http://127.0.0.1:" + server.port() + "/"))
                // Behind some of them there could be more.
                .requestTimeout(Duration.ofSeconds(1))
                .build()),
        Credential.NONE);
  }

  private static void readToEnd(Socket socket) {
    try {
      while (socket.getInputStream().read() >= 0) {
        // Only the end matters.
      }
    } catch (IOException reset) {
      // That is an end, too.
    }
  }
}
