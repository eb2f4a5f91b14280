package dev.reprise.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
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

/**
 * Kills the real process with SIGKILL under load, again and again. Whatever it has acknowledged
 * must arrive; what arrives twice must have been in flight when the process died. {@code bench/run
 * soak-kills} kills it a hundred times.
 */
@Tag("slow")
class KillTest {
  private static final int KILLS = Integer.getInteger("reprise.kills", 6);
  private static final int PUBLISHERS = 8;
  private static final int SUBSCRIPTIONS = 3;

  @TempDir Path data;
  @TempDir Path logs;
  private final Set<Integer> acknowledged = ConcurrentHashMap.newKeySet();

  /** Arrivals by endpoint and number, in nanoseconds. */
  private final Map<String, List<Long>> arrivals = new ConcurrentHashMap<>();

  private final List<Long> kills = new ArrayList<>();
  private final AtomicInteger answered = new AtomicInteger();
  private volatile boolean stop;
  private ServiceProcess service;
  private DrainableEndpoint endpoints;

  @AfterEach
  void end() throws IOException {
    stop = true;
    if (service != null) {
      service.close();
    }
    if (endpoints != null) {
      endpoints.close();
    }
  }

  @Test
  void losesNothingThatItHasAcknowledged() throws Exception {
    startEndpoints();
    service = new ServiceProcess(data, logs.resolve("stderr"));
    service.start(Map.of());
    service.send(
        "PUT",
        "/v1/topics/orders",
        "{\"healthyRetryPolicy\":{\"numRetries\":100,"
            + "\"minDelayTarget\":1,\"maxDelayTarget\":1,\"numNoDelayRetries\":1}}");
    for (int i = 0; i < SUBSCRIPTIONS; i++) {
      service.send(
          "POST",
          "/v1/topics/orders/subscriptions",
          "{\"format\":\"raw\",\"endpoint\":\"http://127.0.0.1:%s/%s\"}"
              .formatted(endpoints.port(), i));
    }
    ExecutorService publishers = Executors.newFixedThreadPool(PUBLISHERS);
    AtomicInteger next = new AtomicInteger();
    for (int i = 0; i < PUBLISHERS; i++) {
      publishers.execute(() -> publishUntilStopped(next));
    }
    for (int i = 0; i < KILLS; i++) {
      awaitMoreAcknowledged(300);
      service.kill();
      // What it had sent may lie unread in connections: that was sent before the kill.
      endpoints.awaitAllRead();
      kills.add(System.nanoTime());
      service.start(Map.of());
    }
    awaitMoreAcknowledged(300);
    stop = true;
    publishers.shutdown();
    assertThat(publishers.awaitTermination(300, TimeUnit.SECONDS)).isTrue();
    awaitNothingPending();

    JsonNode ledger = service.get("/v1/ledger?verify=true");
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
            service.request(
                "POST", "/v1/topics/orders/messages", "{\"body\":{\"number\":" + number + "}}");
        if (response.statusCode() == 202) {
          acknowledged.add(number);
        }
      } catch (IOException e) {
        // The process has just died: this number may have been accepted or not. The next one needs
        // the processor more than who asks it.
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
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

  private void awaitMoreAcknowledged(int count) throws Exception {
    int goal = acknowledged.size() + count;
    service.await(count + " more publishes", () -> acknowledged.size() >= goal);
  }

  private void awaitNothingPending() throws Exception {
    service.await(
        "nothing pending", () -> service.get("/v1/ledger").at("/total/pending").intValue() == 0);
  }
}
