package dev.reprise.device.transport.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.ConnectionStatus;
import dev.reprise.device.DeviceClient;
import dev.reprise.device.credential.CredentialSupplier;
import dev.reprise.device.fixture.SocketServer;
import dev.reprise.device.hub.HubProfile;
import dev.reprise.device.message.Message;
import dev.reprise.device.message.MessageOutcome;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A server that breaks some of the requests, and the client before it. */
@Tag("slow")
final class HttpBreaksTest {
  private static final int MESSAGES = 60;
  private static final int BROKEN = 6;

  @Test
  void brokenRequestsBetweenGoodOnesAreRepeatedInOrder() throws Exception {
    AtomicInteger requests = new AtomicInteger();
    SocketServer.Script ok = SocketServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    Queue<ConnectionStatus> statuses = new ConcurrentLinkedQueue<>();
    try (SocketServer server =
            SocketServer.start(
                socket -> {
                  if (requests.incrementAndGet() % BROKEN == 0) {
                    socket.close();
                  } else {
                    ok.answer(socket);
                  }
                });
        DeviceClient client =
            DeviceClient.builder(profile(server.port()))
                .onStatus((status, previous) -> statuses.add(status))
                .build()) {
      client.open().toCompletableFuture().get(300, TimeUnit.SECONDS);
      List<CompletableFuture<MessageOutcome>> outcomes = new ArrayList<>();
      for (int i = 0; i < MESSAGES; i++) {
        outcomes.add(
            client.send(Message.builder().id("m-" + i).body("x").build()).toCompletableFuture());
      }
      for (CompletableFuture<MessageOutcome> outcome : outcomes) {
        assertThat(outcome.get(300, TimeUnit.SECONDS).isAcknowledged()).isTrue();
      }
      assertThat(statuses)
          .extracting(ConnectionStatus::retryDelay)
          .filteredOn(Objects::nonNull)
          .hasSizeGreaterThanOrEqualTo(MESSAGES / BROKEN)
          .containsOnly(Duration.ofMillis(100));
      assertThat(server.requests().stream().map(HttpBreaksTest::id).distinct().toList())
          .isEqualTo(outcomes.stream().map(outcome -> outcome.join().messageId()).toList());
    }
  }

  private static HubProfile profile(int port) {
    return new HubProfile(
        "http",
        new HttpTransport(
            HttpSettings.builder(URI.create("http://127.0.0.1:" + port + "/")).build()),
        CredentialSupplier.none());
  }

  private static String id(String request) {
    String header = "Idempotency-Key: ";
    int from = request.indexOf(header) + header.length();
    return request.substring(from, request.indexOf("\r\n", from));
  }
}
