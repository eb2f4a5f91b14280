package dev.reprise.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Kills the real process with SIGKILL under load, again and again. Whatever it has acknowledged
 * must arrive; what arrives twice must have been in flight when the process died.
 */
@Tag("slow")
class KillTest {
  private static final int KILLS = Integer.getInteger("reprise.kills", 20);
  private static final int PUBLISHERS = 8;
  private static final int SUBSCRIPTIONS = 3;

  @TempDir Path data;
  private final HttpClient client = HttpClient.newHttpClient();
  private final int port = freePort();
  private final Set<Integer> acknowledged = ConcurrentHashMap.newKeySet();

  /** Arrivals by endpoint and number, in nanoseconds. */
  private final Map<String, List<Long>> arrivals = new ConcurrentHashMap<>();

  private final List<Long> kills = new ArrayList<>();
  private final AtomicInteger answered = new AtomicInteger();
  private volatile boolean stop;
  private Process process;
  private HttpServer endpoints;

  @AfterEach
  void end() {
    stop = true;
    if (process != null) {
      process.destroyForcibly();
    }
    if (endpoints != null) {
      endpoints.stop(0);
    }
  }

  @Test
  void losesNothingThatItHasAcknowledged() throws Exception {
    startEndpoints();
    startService();
    send(
        "PUT",
        "/v1/topics/orders",
        "{\"healthyRetryPolicy\":{\"numRetries\":100,"
            + "\"minDelayTarget\":1,\"maxDelayTarget\":1,\"numNoDelayRetries\":1}}");
    for (int i = 0; i < SUBSCRIPTIONS; i++) {
      send(
          "POST",
          "/v1/topics/orders/subscriptions",
          "{\"format\":\"raw\",\"endpoint\":\"http://127.0.0.1:%d/%d\"}"
              .formatted(endpoints.getAddress().getPort(), i));
    }
    ExecutorService publishers = Executors.newFixedThreadPool(PUBLISHERS);
    AtomicInteger next = new AtomicInteger();
    for (int i = 0; i < PUBLISHERS; i++) {
      publishers.execute(() -> publishUntilStopped(next));
    }
    for (int i = 0; i < KILLS; i++) {
      awaitMoreAcknowledged(300);
      process.destroyForcibly().waitFor();
      kills.add(System.nanoTime());
      startService();
    }
    awaitMoreAcknowledged(300);
    stop = true;
    publishers.shutdown();
    assertThat(publishers.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
    awaitNothingPending();

    JsonNode ledger = get("/v1/ledger?verify=true");
    assertThat(ledger.at("/total/unexplained").intValue()).isZero();
    assertThat(ledger.at("/verified/agrees").booleanValue()).as("%s", ledger).isTrue();
    int repeated = 0;
    for (int number : acknowledged) {
      for (int endpoint = 0; endpoint < SUBSCRIPTIONS; endpoint++) {
        List<Long> times = arrivals.getOrDefault(endpoint + "/" + number, List.of());
        assertThat(times)
            .as("arrivals of message %d at endpoint %d", number, endpoint)
            .isNotEmpty();
        repeated += times.size() - 1;
      }
    }
    arrivals.forEach(this::assertRepeatedOnlyAcrossAKill);
    System.out.printf(
        "%d kills, %d messages acknowledged, 0 lost, %d of %d deliveries repeated%n",
        KILLS, acknowledged.size(), repeated, (long) acknowledged.size() * SUBSCRIPTIONS);
  }

  private void assertRepeatedOnlyAcrossAKill(String what, List<Long> times) {
    for (int i = 1; i < times.size(); i++) {
      long before = times.get(i - 1);
      long after = times.get(i);
      assertThat(kills)
          .as("%s arrived twice: one of the kills must lie between", what)
          .anyMatch(kill -> before < kill && kill < after);
    }
  }

  private void publishUntilStopped(AtomicInteger next) {
    while (!stop) {
      int number = next.incrementAndGet();
      try {
        HttpResponse<String> response =
            request("POST", "/v1/topics/orders/messages", "{\"body\":{\"number\":" + number + "}}");
        if (response.statusCode() == 202) {
          acknowledged.add(number);
        }
      } catch (IOException e) {
        // The process has just died: this number may have been accepted or not.
        Thread.onSpinWait();
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  /** Every seventh answer is a failure, so that retries are under way as well. */
  private void startEndpoints() throws IOException {
    endpoints = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1000);
    endpoints.setExecutor(Executors.newFixedThreadPool(8));
    endpoints.createContext("/", this::answer);
    endpoints.start();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
      if (answered.incrementAndGet() % 7 == 0) {
        exchange.sendResponseHeaders(503, -1);
        return;
      }
      String number = body.replaceAll("[^0-9]", "");
      String endpoint = exchange.getRequestURI().getPath().substring(1);
      arrivals
          .computeIfAbsent(endpoint + "/" + number, key -> new CopyOnWriteArrayList<>())
          .add(System.nanoTime());
      exchange.sendResponseHeaders(204, -1);
    }
  }

  private void startService() throws Exception {
    process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.reprise.server.Main",
                "serve",
                "--dev",
                "--port",
                "" + port,
                "--data",
                data.toString())
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    await(
        "the service to be ready",
        () -> {
          assertThat(process.isAlive()).as("the process lives").isTrue();
          try {
            return request("GET", "/health/ready", "").statusCode() == 200;
          } catch (IOException e) {
            return false;
          }
        });
  }

  private void awaitMoreAcknowledged(int count) throws Exception {
    int goal = acknowledged.size() + count;
    await(count + " more publishes", () -> acknowledged.size() >= goal);
  }

  private void awaitNothingPending() throws Exception {
    await("nothing pending", () -> get("/v1/ledger").at("/total/pending").intValue() == 0);
  }

  private interface Condition {
    boolean holds() throws Exception;
  }

  private static void await(String what, Condition condition) throws Exception {
    long end = System.nanoTime() + Duration.ofSeconds(90).toNanos();
    while (!condition.holds()) {
      assertThat(System.nanoTime()).as("waiting for %s", what).isLessThan(end);
      TimeUnit.MILLISECONDS.sleep(5);
    }
  }

  private JsonNode get(String path) throws IOException, InterruptedException {
    return JsonMapper.shared().readTree(send("GET", path, ""));
  }

  private String send(String method, String path, String body)
      throws IOException, InterruptedException {
    HttpResponse<String> response = request(method, path, body);
    assertThat(response.statusCode()).as(response.body()).isBetween(200, 299);
    return response.body();
  }

  private HttpResponse<String> request(String method, String path, String body)
      throws IOException, InterruptedException {
    return client.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .timeout(Duration.ofSeconds(20))
            .header("Content-Type", "application/json")
            .method(
                method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
            .build(),
        BodyHandlers.ofString());
  }

  private static int freePort() {
    try (ServerSocket free = new ServerSocket(0)) {
      return free.getLocalPort();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
