package dev.reprise.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.reprise.fixtures.Await;
import dev.reprise.server.fixture.RunningService;
import dev.reprise.server.settings.Settings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A stop finishes what it can, and parks the rest. */
@Tag("slow")
class StopTest {
  @TempDir Path folder;
  private final CountDownLatch arrived = new CountDownLatch(1);
  private final CountDownLatch mayAnswer = new CountDownLatch(1);
  private final AtomicInteger requests = new AtomicInteger();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private HttpServer endpoint;

  @BeforeEach
  void startEndpoint() throws IOException {
    endpoint = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    endpoint.setExecutor(threads);
    endpoint.createContext(
        "/",
        exchange -> {
          requests.incrementAndGet();
          arrived.countDown();
          try {
            mayAnswer.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    endpoint.start();
  }

  @AfterEach
  void stopEndpoint() {
    mayAnswer.countDown();
    endpoint.stop(0);
    threads.shutdownNow();
  }

  private String publish(RunningService api) throws InterruptedException {
    String url = "http://127.0.0.1:" + endpoint.getAddress().getPort() + "/";
    String id = api.subscribe("t", "{\"endpoint\":\"" + url + "\"}");
    String message = api.publish("t", "{\"body\":1}");
    arrived.await();
    return "/v1/deliveries/" + message + "@" + id;
  }

  @Test
  void attemptUnderWayIsFinished() throws InterruptedException {
    RunningService api = RunningService.dev(folder, Duration.ofMinutes(10));
    String delivery = publish(api);
    JsonNode shown = api.await(delivery, d -> d.get("inFlight").booleanValue());
    assertThat(shown.at("/nextAttempt/waitingFor").asString()).isEqualTo("in flight");
    Thread stopping = new Thread(api::close);
    stopping.start();
    mayAnswer.countDown();
    stopping.join();
    try (RunningService again = RunningService.dev(folder)) {
      assertThat(again.get(delivery).json().get("status").asString()).isEqualTo("delivered");
      assertThat(requests).hasValue(1);
    }
  }

  @Test
  @Timeout(240) // A stop that waits for the attempt does not end.
  void attemptThatHangsIsParkedAndMadeAgain() throws InterruptedException {
    RunningService api = RunningService.dev(folder);
    String delivery = publish(api);
    api.close();
    mayAnswer.countDown();
    try (RunningService again = RunningService.dev(folder)) {
      JsonNode done = again.await(delivery, d -> d.get("status").asString().equals("delivered"));
      assertThat(done.get("attempts").intValue()).isEqualTo(1);
      assertThat(requests).hasValue(2);
    }
  }

  @Test
  void readyFailsBeforeTheListenerCloses() throws InterruptedException {
    RunningService api =
        RunningService.start(
            folder,
            true,
            Duration.ZERO,
            settings -> settings.with(Settings.DRAIN, Duration.ofMinutes(10)));
    api.put("/v1/topics/t", "{}");
    api.awaitReady();
    Thread stopping = new Thread(api::close);
    stopping.start();
    RunningService.Reply reply =
        Await.value("readiness", () -> api.get("/health/ready"), r -> r.status() == 503);
    assertThat(reply.json().get("reason").asString()).isEqualTo("stopping");
    assertThat(reply.header("Connection"))
        .as("who sends on it just when it is closed here would have no answer")
        .isEqualTo("close");
    assertThat(api.get("/health/live").status()).isEqualTo(200);
    assertThat(api.post("/v1/topics/t/messages", "{\"body\":1}").status()).isEqualTo(202);
    // The rest of the ten minutes is of no interest.
    stopping.interrupt();
    stopping.join();
  }
}
