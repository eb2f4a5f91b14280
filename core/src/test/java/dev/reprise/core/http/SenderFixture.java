package dev.reprise.core.http;

import static dev.reprise.core.http.ScriptedServer.Answer.body;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.budget.ScopedBudgets;
import dev.reprise.core.budget.TokenPrices;
import dev.reprise.core.http.ScriptedServer.Answer;
import dev.reprise.core.retry.Retry;
import dev.reprise.core.retry.RetryBuilder;
import dev.reprise.core.retry.RetryEvent;
import dev.reprise.core.retry.RetryEvent.Kind;
import dev.reprise.core.strategy.StandardRetryStrategy;
import dev.reprise.testkit.RecordingListener;
import dev.reprise.testkit.RefusingPort;
import dev.reprise.testkit.VirtualClock;
import dev.reprise.testkit.VirtualScheduler;
import dev.reprise.testkit.VirtualTime;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;

/** A sender and its servers: waits pass in virtual time; servers and connections are real. */
abstract class SenderFixture {
  static final HttpClient CLIENT = HttpClient.newHttpClient();
  static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
  static final String LONG_TEXT = "all work and no play ".repeat(50_000);

  final VirtualScheduler scheduler = new VirtualScheduler(new VirtualClock());
  final VirtualTime time = new VirtualTime(scheduler);
  final RecordingListener listener = new RecordingListener();
  final List<AutoCloseable> opened = new ArrayList<>();

  @AfterEach
  void closeServers() throws Exception {
    assertThat(Thread.interrupted()).isFalse();
    for (AutoCloseable server : opened) {
      server.close();
    }
  }

  RetryingHttpSender sender() {
    return sender(retry());
  }

  static RetryingHttpSender sender(RetryBuilder retry) {
    return RetryingHttpSender.of(CLIENT, retry.build(), Clock.fixed(NOON, ZoneOffset.UTC));
  }

  RetryBuilder retry() {
    return retry(3);
  }

  RetryBuilder retry(int maxAttempts) {
    return Retry.builder()
        .name("test")
        .strategy(strategy().maxAttempts(maxAttempts).build())
        .time(time)
        .listener(listener);
  }

  static StandardRetryStrategy.Builder strategy() {
    return StandardRetryStrategy.builder()
        .maxAttempts(3)
        .backoff(Backoff.fixed(ofSeconds(1)))
        .throttleBackoff(Backoff.fixed(ofSeconds(4)));
  }

  /** Not even the second attempt is sure to be answered within a short timeout. */
  static StandardRetryStrategy.Builder untilAnsweredInTime() {
    return strategy().maxAttempts(1_000).budget(RetryBudget.unlimited());
  }

  RetryBuilder retryWithTwoRetriesPerScope() {
    TokenPrices prices = new TokenPrices(1_000, 1_000, 1_000, 0, false);
    ScopedBudgets budgets = ScopedBudgets.perScope(() -> RetryBudget.tokenBucket(2, prices));
    return retry().strategy(strategy().budgets(budgets).build());
  }

  ScriptedServer server(Answer... answers) throws IOException {
    ScriptedServer server = new ScriptedServer(answers);
    opened.add(server);
    return server;
  }

  RawServer raw(RawServer.Script... scripts) throws IOException {
    RawServer server = new RawServer(scripts);
    opened.add(server);
    return server;
  }

  static HttpRequest get(ScriptedServer server) {
    return get(server.uri());
  }

  static HttpRequest get(URI uri) {
    return HttpRequest.newBuilder(uri).build();
  }

  static HttpRequest post(ScriptedServer server) {
    return post(server.uri(), text());
  }

  static HttpRequest post(URI uri, BodyPublisher body) {
    return HttpRequest.newBuilder(uri).POST(body).build();
  }

  static HttpRequest put(URI uri, BodyPublisher body) {
    return HttpRequest.newBuilder(uri).PUT(body).build();
  }

  static HttpRequest continueRequest(URI uri) {
    InputStream once = stream("hello");
    return HttpRequest.newBuilder(uri)
        .POST(BodyPublishers.ofInputStream(() -> once))
        .expectContinue(true)
        .build();
  }

  static BodyPublisher text() {
    return BodyPublishers.ofString("hello");
  }

  static InputStream stream(String text) {
    return new ByteArrayInputStream(text.getBytes(UTF_8));
  }

  /** Returns an address at which nobody listens until the test does. */
  URI refusing() throws IOException {
    RefusingPort port = RefusingPort.take();
    opened.add(port);
    return URI.create("http://127.0.0.1:" + port.number() + "/");
  }

  static void writeForever(HttpExchange exchange, CompletableFuture<Exception> cut)
      throws IOException {
    exchange.sendResponseHeaders(503, 0);
    writeOn(exchange, cut);
  }

  static void writeOn(HttpExchange exchange, CompletableFuture<Exception> cut) {
    byte[] page = new byte[64 * 1024];
    try {
      while (true) {
        exchange.getResponseBody().write(page);
      }
    } catch (IOException e) {
      cut.complete(e);
    }
  }

  static void awaitOrFail(CountDownLatch latch) throws IOException {
    try {
      if (!latch.await(300, TimeUnit.SECONDS)) {
        throw new IOException("never told to go on");
      }
    } catch (InterruptedException e) {
      throw new IOException("stopped", e);
    }
  }

  static void countDownAt(RetryEvent event, Kind kind, CountDownLatch latch) {
    if (event.kind() == kind) {
      latch.countDown();
    }
  }

  static void interruptAt(RetryEvent event, Kind kind) {
    if (event.kind() == kind) {
      Thread.currentThread().interrupt();
    }
  }
}
