package dev.reprise.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A backlog, and messages under way, do not need more memory than the process has, over restarts.
 * {@code bench/run soak-memory} runs it with twice the backlog; how long it took to the first
 * attempt is printed.
 */
@Tag("slow")
class MemoryTest {
  private static final int SUBSCRIPTIONS = Integer.getInteger("reprise.subscriptions", 10_000);
  private static final int MESSAGES = Integer.getInteger("reprise.messages", 34);
  private static final String HEAP =
      "-Xmx" + Integer.getInteger("reprise.heap.megabytes", 320) + "m";
  private static final int RESTARTS = 2;
  private static final int AT_ONCE = 64;

  @TempDir Path data;
  @TempDir Path logs;
  private final HttpClient client = HttpClient.newHttpClient();
  private final Vertx vertx = Vertx.vertx();
  private final AtomicLong firstArrivalNanos = new AtomicLong();
  private final AtomicLong arrivals = new AtomicLong();
  private ServiceProcess service;

  @AfterEach
  void end() {
    if (service != null) {
      service.close();
    }
    vertx.close().await();
  }

  private interface Answering {
    void answer(HttpServerRequest request);
  }

  private int endpoint(Answering answering) {
    HttpServer server =
        vertx
            .createHttpServer()
            .requestHandler(
                request -> {
                  firstArrivalNanos.compareAndSet(0, System.nanoTime());
                  arrivals.incrementAndGet();
                  answering.answer(request);
                })
            .listen(0, "127.0.0.1")
            .await();
    return server.actualPort();
  }

  private void start(String heap, String... options) throws Exception {
    service =
        new ServiceProcess(
            data,
            logs.resolve("stderr"),
            List.of(heap, "-XX:TieredStopAtLevel=1"),
            List.of(options));
    service.start(Map.of());
  }

  /** Sends so many requests, several at once; each must succeed. */
  private void sendMany(int count, String path, String type, IntFunction<String> body)
      throws Exception {
    Semaphore room = new Semaphore(AT_ONCE);
    CompletableFuture<?>[] all = new CompletableFuture<?>[count];
    for (int i = 0; i < count; i++) {
      room.acquire();
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(service.url() + path))
              .timeout(Duration.ofMinutes(2))
              .header("Content-Type", type)
              .POST(BodyPublishers.ofString(body.apply(i)))
              .build();
      all[i] =
          client
              .sendAsync(request, BodyHandlers.ofString())
              .thenAccept(MemoryTest::requireSuccess)
              .whenComplete((done, error) -> room.release());
    }
    CompletableFuture.allOf(all).get(10, TimeUnit.MINUTES);
  }

  private static void requireSuccess(HttpResponse<String> response) {
    assertThat(response.statusCode()).as(response.body()).isBetween(200, 299);
  }

  private void requireLedger(long accepted) throws Exception {
    var total = service.get("/v1/ledger?verify=true");
    assertThat(total.at("/total/accepted").longValue()).isEqualTo(accepted);
    assertThat(total.at("/total/unexplained").longValue()).isZero();
    assertThat(total.at("/total/pending").longValue()).isEqualTo(accepted);
  }

  @Test
  void aBacklogOfManySubscriptionsInSilenceSurvivesRestarts() throws Exception {
    int port =
        endpoint(
            request ->
                request.response().setStatusCode(429).putHeader("Retry-After", "3600").end());
    start(HEAP, "--shards", "1");
    service.send("PUT", "/v1/topics/t", "{}");
    sendMany(
        SUBSCRIPTIONS,
        "/v1/topics/t/subscriptions",
        "application/json",
        i -> "{\"endpoint\":\"http://127.0.0.1:" + port + "/" + i + "\"}");
    String body = "x".repeat(700);
    for (int i = 0; i < MESSAGES; i++) {
      service.send("POST", "/v1/topics/t/messages", "{\"body\":\"" + body + "\"}");
    }
    long pending = (long) SUBSCRIPTIONS * MESSAGES;
    // A 429 within the policy's ceiling: everything waits.
    requireLedger(pending);
    for (int i = 0; i < RESTARTS; i++) {
      service.kill();
      firstArrivalNanos.set(0);
      long startedNanos = System.nanoTime();
      start(HEAP, "--shards", "1");
      long readyNanos = System.nanoTime();
      // A new message to a new subscription is attempted at once, beside everything that waits.
      String fresh = "{\"endpoint\":\"http://127.0.0.1:" + port + "/fresh\"}";
      service.send("PUT", "/v1/topics/fresh" + i, "{}");
      service.send("POST", "/v1/topics/fresh" + i + "/subscriptions", fresh);
      long before = arrivals.get();
      service.send("POST", "/v1/topics/fresh" + i + "/messages", "{\"body\":1}");
      service.await("an attempt", () -> arrivals.get() > before);
      System.out.printf(
          "%d pending over %d subscriptions: ready %.1f s after the start, first attempt %.1f s%n",
          pending,
          SUBSCRIPTIONS,
          (readyNanos - startedNanos) / 1e9,
          (firstArrivalNanos.get() - startedNanos) / 1e9);
      requireLedger(pending + i + 1);
    }
    assertThat(service.isAlive()).isTrue();
  }

  @Test
  void largeMessagesToEndpointsThatHangSurviveRestarts() throws Exception {
    int port = endpoint(request -> {});
    start("-Xmx512m", "--shards", "8");
    service.send("PUT", "/v1/topics/t", "{}");
    sendMany(
        64,
        "/v1/topics/t/subscriptions",
        "application/json",
        i -> "{\"endpoint\":\"http://127.0.0.1:" + port + "/" + i + "\"}");
    byte[] bytes = new byte[250_000];
    Arrays.fill(bytes, (byte) 'y');
    String message = "{\"body\":\"" + new String(bytes, US_ASCII) + "\"}";
    for (int i = 0; i < 100; i++) {
      service.send("POST", "/v1/topics/t/messages", message);
    }
    for (int i = 0; i < RESTARTS; i++) {
      service.kill();
      long before = arrivals.get();
      start("-Xmx512m", "--shards", "8");
      service.await("attempts", () -> arrivals.get() >= before + 8);
      requireLedger(6_400);
    }
    assertThat(service.isAlive()).isTrue();
  }
}
