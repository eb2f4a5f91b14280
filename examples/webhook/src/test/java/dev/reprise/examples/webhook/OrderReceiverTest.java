package dev.reprise.examples.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.webhook.WebhookHeaders;
import dev.reprise.webhook.WebhookSecret;
import dev.reprise.webhook.WebhookSigner;
import dev.reprise.webhook.WebhookVerifier;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The receiver in this process, and requests as a sender makes them. */
@Timeout(300)
class OrderReceiverTest {
  private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  private static final long NOW = 1_614_265_330;
  private static final WebhookSigner SIGNER = WebhookSigner.of(WebhookSecret.parse(SECRET));

  private final HttpClient client = HttpClient.newHttpClient();
  private final Queue<String> orders = new ConcurrentLinkedQueue<>();

  private static OrderReceiver receiver(Consumer<String> orders) throws IOException {
    return new OrderReceiver(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
        WebhookVerifier.builder(SECRET)
            .clock(InstantSource.fixed(Instant.ofEpochSecond(NOW)))
            .build(),
        orders);
  }

  private static HttpRequest request(OrderReceiver receiver, String id, long time, String body) {
    return HttpRequest.newBuilder(receiver.uri())
        .header(WebhookHeaders.ID, id)
        .header(WebhookHeaders.TIMESTAMP, String.valueOf(time))
        .header(WebhookHeaders.SIGNATURE, SIGNER.sign(id, time, body.getBytes(UTF_8)))
        .POST(BodyPublishers.ofString(body))
        .build();
  }

  private int send(HttpRequest request) throws IOException, InterruptedException {
    return client.send(request, BodyHandlers.discarding()).statusCode();
  }

  @Test
  void anOrderIsTakenOnce() throws Exception {
    try (OrderReceiver receiver = receiver(orders::add)) {
      assertThat(send(request(receiver, "msg_1", NOW, "{\"order\": 1001}"))).isEqualTo(204);
      assertThat(send(request(receiver, "msg_1", NOW + 5, "{\"order\": 1001}"))).isEqualTo(204);
      assertThat(send(request(receiver, "msg_2", NOW, "{\"order\": 1002}"))).isEqualTo(204);
    }

    assertThat(orders).containsExactly("{\"order\": 1001}", "{\"order\": 1002}");
  }

  @Test
  void whatIsNotOfTheSenderIsRefused() throws Exception {
    try (OrderReceiver receiver = receiver(orders::add)) {
      HttpRequest good = request(receiver, "msg_1", NOW, "{\"order\": 1001}");
      HttpRequest changed =
          HttpRequest.newBuilder(good, (name, value) -> true)
              .POST(BodyPublishers.ofString("{\"order\": 9999}"))
              .build();
      HttpRequest unsigned =
          HttpRequest.newBuilder(receiver.uri()).POST(BodyPublishers.ofString("{}")).build();

      assertThat(send(changed)).isEqualTo(401);
      assertThat(send(unsigned)).isEqualTo(401);
      assertThat(send(request(receiver, "msg_1", NOW - 301, "{}"))).isEqualTo(401);
      assertThat(send(request(receiver, "msg_1", NOW, "x".repeat((1 << 20) + 1)))).isEqualTo(413);
    }

    assertThat(orders).isEmpty();
  }

  @Test
  void whatFailedIsTakenWhenItComesAgain() throws Exception {
    Consumer<String> failsOnce =
        order -> {
          orders.add(order);
          if (orders.size() == 1) {
            throw new IllegalStateException("the database is away");
          }
        };
    try (OrderReceiver receiver = receiver(failsOnce)) {
      assertThat(send(request(receiver, "msg_1", NOW, "{}"))).isEqualTo(500);
      assertThat(send(request(receiver, "msg_1", NOW + 1, "{}"))).isEqualTo(204);
      assertThat(send(request(receiver, "msg_1", NOW + 2, "{}"))).isEqualTo(204);
    }

    assertThat(orders).hasSize(2);
  }

  @Test
  void repetitionOfWhatIsInProgressIsToComeLater() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    Consumer<String> slow =
        order -> {
          begun.countDown();
          try {
            end.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          orders.add(order);
        };
    try (OrderReceiver receiver = receiver(slow)) {
      CompletableFuture<HttpResponse<Void>> first =
          client.sendAsync(request(receiver, "msg_1", NOW, "{}"), BodyHandlers.discarding());
      assertThat(begun.await(300, TimeUnit.SECONDS)).isTrue();

      HttpResponse<Void> second =
          client.send(request(receiver, "msg_1", NOW + 1, "{}"), BodyHandlers.discarding());
      end.countDown();

      assertThat(second.statusCode()).isEqualTo(503);
      assertThat(second.headers().firstValue("Retry-After")).contains("5");
      assertThat(first.get(300, TimeUnit.SECONDS).statusCode()).isEqualTo(204);
    }

    assertThat(orders).hasSize(1);
  }

  /** Every part of the README's first block stands in the example, which is compiled and run. */
  @Test
  void readmeShowsThisReceiver() throws Exception {
    Path root = Path.of("").toAbsolutePath();
    while (!Files.exists(root.resolve("COOKBOOK.md"))) {
      root = root.getParent();
    }
    String readme = Files.readString(root.resolve("service/webhook/README.md"));
    int start = readme.indexOf("```java\n") + "```java\n".length();
    List<String> parts =
        List.of(readme.substring(start, readme.indexOf("```", start)).strip().split("\n\n"));
    String example =
        Files.readString(
            root.resolve(
                "examples/webhook/src/main/java/dev/reprise/examples/webhook/OrderReceiver.java"));

    assertThat(parts).hasSize(3);
    assertThat(example).contains(parts.get(0).split("\n")).contains(parts.subList(1, 3));
  }
}
