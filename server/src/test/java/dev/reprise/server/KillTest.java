package dev.reprise.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
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
import java.util.concurrent.locks.LockSupport;
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
  @TempDir Path logs;
  private final HttpClient client = HttpClient.newHttpClient();
  private final Set<Integer> acknowledged = ConcurrentHashMap.newKeySet();

  /** Arrivals by endpoint and number, in nanoseconds. */
  private final Map<String, List<Long>> arrivals = new ConcurrentHashMap<>();

  private final List<Long> kills = new ArrayList<>();
  private final AtomicInteger answered = new AtomicInteger();
  private volatile boolean stop;
  private volatile String url;
  private Process process;
  private DrainableEndpoint endpoints;

  @AfterEach
  void end() throws IOException {
    stop = true;
    if (process != null) {
      // It writes into the folder that is deleted next.
      process.destroyForcibly().onExit().join();
    }
    if (endpoints != null) {
      endpoints.close();
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
              .formatted(endpoints.port(), i));
    }
    ExecutorService publishers = Executors.newFixedThreadPool(PUBLISHERS);
    AtomicInteger next = new AtomicInteger();
    for (int i = 0; i < PUBLISHERS; i++) {
      publishers.execute(() -> publishUntilStopped(next));
    }
    for (int i = 0; i < KILLS; i++) {
      awaitMoreAcknowledged(300);
      process.destroyForcibly().waitFor();
      // What it had sent may lie unread in connections: that was sent before the kill.
      endpoints.awaitAllRead();
      kills.add(System.nanoTime());
      startService();
    }
    awaitMoreAcknowledged(300);
    stop = true;
    publishers.shutdown();
    assertThat(publishers.awaitTermination(90, TimeUnit.SECONDS)).isTrue();
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
        // The process has just died: this number may have been accepted or not. The next one needs
        // the processor more than who asks it.
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  /** Every seventh answer is a failure, so that retries are under way as well. */
  private void startEndpoints() throws IOException {
    endpoints = new DrainableEndpoint(this::answer);
  }

  private int answer(String path, String body) {
    if (answered.incrementAndGet() % 7 == 0) {
      return 503;
    }
    arrivals
        .computeIfAbsent(
            path.substring(1) + "/" + body.replaceAll("[^0-9]", ""),
            key -> new CopyOnWriteArrayList<>())
        .add(System.nanoTime());
    return 200;
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
                "0",
                "--attempt-timeout",
                "10m",
                "--json",
                "--data",
                data.toString())
            .redirectError(stderr().toFile())
            .start();
    // Nothing else is printed, so nobody has to read on.
    BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
    String line = out.readLine();
    assertThat(line).as(this::lastOfStderr).isNotNull();
    url = JsonMapper.shared().readTree(line).get("url").asString();
    await(
        "the service to be ready",
        () -> {
          assertThat(process.isAlive()).as(this::lastOfStderr).isTrue();
          try {
            return request("GET", "/health/ready", "").statusCode() == 200;
          } catch (IOException e) {
            return false;
          }
        });
  }

  private Path stderr() {
    return logs.resolve("stderr");
  }

  /** Why the process has ended, as it said itself. */
  private String lastOfStderr() {
    try {
      // It may still be on its way to its end.
      boolean ended = process.waitFor(60, TimeUnit.SECONDS);
      String said = new String(Files.readAllBytes(stderr()), UTF_8);
      return "the service, but it %s; its stderr ends with%n%s"
          .formatted(
              ended ? "ended with " + process.exitValue() : "closed its output",
              said.substring(Math.max(0, said.length() - 4_000)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "interrupted";
    }
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
        HttpRequest.newBuilder(URI.create(url + path))
            .timeout(Duration.ofSeconds(60))
            .header("Content-Type", "application/json")
            .method(
                method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
            .build(),
        BodyHandlers.ofString());
  }
}
