package dev.reprise.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * Publishers and endpoints around a service that has a hard time: what was acknowledged must arrive
 * at both. One endpoint takes every message at once, the other at its second attempt, so that
 * messages are read back from the store. Some messages are so large that tables are written often.
 */
final class Load implements AutoCloseable {
  private static final int PUBLISHERS = 4;
  private static final Pattern NUMBER = Pattern.compile("\"number\":(\\d+)");

  private final ServiceProcess service;
  private final int largeBytes;
  private final DrainableEndpoint endpoint;
  private final Set<Integer> acknowledged = ConcurrentHashMap.newKeySet();
  private final Map<String, Set<Integer>> arrived =
      Map.of("/now", ConcurrentHashMap.newKeySet(), "/later", ConcurrentHashMap.newKeySet());
  private final Set<Integer> refusedOnce = ConcurrentHashMap.newKeySet();
  private final AtomicInteger next = new AtomicInteger();
  private final ExecutorService publishers = Executors.newFixedThreadPool(PUBLISHERS);
  private volatile boolean stop;

  /**
   * @param largeBytes the size of every third message
   */
  Load(ServiceProcess service, int largeBytes) throws IOException {
    this.service = service;
    this.largeBytes = largeBytes;
    this.endpoint = new DrainableEndpoint(this::answer);
  }

  /** Sets up topic and subscriptions, and begins to publish. */
  void start() throws Exception {
    service.send(
        "PUT",
        "/v1/topics/orders",
        "{\"healthyRetryPolicy\":{\"numRetries\":100,"
            + "\"minDelayTarget\":1,\"maxDelayTarget\":1,\"numNoDelayRetries\":0}}");
    for (String path : arrived.keySet()) {
      service.send(
          "POST",
          "/v1/topics/orders/subscriptions",
          "{\"format\":\"raw\",\"endpoint\":\"http://127.0.0.1:%s%s\"}"
              .formatted(endpoint.port(), path));
    }
    for (int i = 0; i < PUBLISHERS; i++) {
      publishers.execute(this::publishUntilStopped);
    }
  }

  private int answer(String path, String body) {
    Matcher matcher = NUMBER.matcher(body.substring(0, Math.min(body.length(), 40)));
    if (!matcher.find()) {
      return 400;
    }
    int number = Integer.parseInt(matcher.group(1));
    if (path.equals("/later") && refusedOnce.add(number)) {
      return 503;
    }
    arrived.get(path).add(number);
    return 204;
  }

  private void publishUntilStopped() {
    String filler = "x".repeat(largeBytes);
    while (!stop) {
      int number = next.incrementAndGet();
      String body =
          "{\"body\":{\"number\":%s,\"filler\":\"%s\"}}"
              .formatted(number, number % 3 == 0 ? filler : "");
      try {
        if (service.request("POST", "/v1/topics/orders/messages", body).statusCode() == 202) {
          acknowledged.add(number);
          continue;
        }
      } catch (IOException e) {
        // The process has just died: this number may have been accepted or not.
      } catch (InterruptedException e) {
        return;
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }

  int acknowledged() {
    return acknowledged.size();
  }

  /** What was acknowledged so far. */
  Set<Integer> acknowledgedNow() {
    return Set.copyOf(acknowledged);
  }

  void awaitMoreAcknowledged(int count) throws Exception {
    int goal = acknowledged.size() + count;
    service.await(count + " more publishes", () -> acknowledged.size() >= goal);
  }

  /** Ends publishing, and waits until whatever is under way has ended. */
  void stop() throws InterruptedException {
    stop = true;
    publishers.shutdown();
    assertThat(publishers.awaitTermination(300, TimeUnit.SECONDS)).isTrue();
  }

  /**
   * Everything that was acknowledged arrives, and the ledger knows it. However long that takes: of
   * a backlog some must go within the patience of the service.
   */
  void assertNothingLost() throws Exception {
    for (int pending = pending(); pending > 0; pending = pending()) {
      int before = pending;
      service.await("some of " + before + " pending to go", () -> pending() < before);
    }
    JsonNode ledger = service.get("/v1/ledger?verify=true");
    assertThat(ledger.at("/total/unexplained").intValue()).isZero();
    assertThat(ledger.at("/verified/agrees").booleanValue()).as("%s", ledger).isTrue();
    assertThat(missing()).as("acknowledged and not arrived").isEmpty();
  }

  private int pending() throws Exception {
    return service.get("/v1/ledger").at("/total/pending").intValue();
  }

  /** What was acknowledged and has not arrived everywhere. */
  Set<Integer> missing() {
    Set<Integer> missing = ConcurrentHashMap.newKeySet();
    missing.addAll(acknowledged);
    missing.removeIf(number -> arrived.values().stream().allMatch(set -> set.contains(number)));
    return missing;
  }

  @Override
  public void close() throws IOException {
    stop = true;
    publishers.shutdownNow();
    endpoint.close();
  }
}
