package dev.reprise.cli.demo;

import dev.reprise.cli.base.Json;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Publishes numbered orders at a steady rate, to several nodes in turn as a load balancer would: a
 * node that cannot be reached is passed over. Nothing else is sent twice. Safe for use by many
 * threads.
 */
final class SteadyPublisher implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final List<String> urls;
  private final HttpClient client =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(5))
          .build();
  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "demo-publisher");
            thread.setDaemon(true);
            return thread;
          });
  private final AtomicLong sent = new AtomicLong();
  private final AtomicLong underWay = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private final AtomicLong unanswered = new AtomicLong();
  private final Queue<Accepted> accepted = new ConcurrentLinkedQueue<>();

  /**
   * A message that a node has accepted.
   *
   * @param message its id
   * @param sentNanos when it was sent, of {@link System#nanoTime}
   * @param answeredNanos when the answer came
   */
  record Accepted(String message, long sentNanos, long answeredNanos) {}

  /**
   * A publisher that has not begun.
   *
   * @param paths where to publish, one for each node
   */
  SteadyPublisher(List<String> paths) {
    this.urls = List.copyOf(paths);
  }

  void begin(int perSecond) {
    var unused =
        clock.scheduleAtFixedRate(
            this::publish, 0, TimeUnit.SECONDS.toNanos(1) / perSecond, TimeUnit.NANOSECONDS);
  }

  /** Publishes nothing more; what is under way is still answered. */
  void end() {
    clock.shutdown();
  }

  /** Returns how many messages were sent. */
  long sent() {
    return sent.get();
  }

  /** Returns how many are not answered yet. */
  long underWay() {
    return underWay.get();
  }

  /** Returns how many no node took, so that they were not accepted. */
  long refused() {
    return refused.get();
  }

  /** Returns how many got no answer, because their node ended: their outcome is not known. */
  long unanswered() {
    return unanswered.get();
  }

  /** Returns what was accepted, in the order of the answers. */
  List<Accepted> accepted() {
    return List.copyOf(accepted);
  }

  private void publish() {
    long number = sent.incrementAndGet();
    underWay.incrementAndGet();
    send(number, 0, System.nanoTime());
  }

  private void send(long number, int tries, long sentNanos) {
    String url = urls.get((int) ((number + tries) % urls.size()));
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url))
            .timeout(PATIENCE)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString("{\"body\": {\"order\": " + number + "}}"))
            .build();
    var unused =
        client
            .sendAsync(request, BodyHandlers.ofString())
            .whenComplete((response, error) -> answered(number, tries, sentNanos, response, error));
  }

  private void answered(
      long number,
      int tries,
      long sentNanos,
      @Nullable HttpResponse<String> response,
      @Nullable Throwable error) {
    if (isUnreachable(error) && tries + 1 < urls.size()) {
      send(number, tries + 1, sentNanos);
      return;
    }
    if (response == null) {
      unanswered.incrementAndGet();
    } else if (response.statusCode() == 202) {
      JsonNode receipt = Json.tryRead(response.body());
      String message = receipt == null ? "" : receipt.path("messageId").asString("");
      accepted.add(new Accepted(message, sentNanos, System.nanoTime()));
    } else {
      refused.incrementAndGet();
    }
    underWay.decrementAndGet();
  }

  /** Returns true if nothing was sent. */
  private static boolean isUnreachable(@Nullable Throwable error) {
    for (Throwable each = error; each != null; each = each.getCause()) {
      if (each instanceof ConnectException) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void close() {
    clock.shutdownNow();
  }
}
