package dev.reprise.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.reprise.webhook.WebhookDeduplicator;
import dev.reprise.webhook.WebhookVerificationException;
import dev.reprise.webhook.WebhookVerifier;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A receiver as our library makes one, with the faults that a test gives it. */
public final class WebhookReceiver implements AutoCloseable {
  /** The ways in which a receiver does wrong. */
  public enum Fault {
    TAKES_NOTHING,
    IGNORES_SIGNATURES,
    IGNORES_TIMESTAMPS,
    REFUSES_REPETITIONS,
    REFUSES_LARGE_BODIES,
    HANGS_AFTER_THE_FIRST,
    ANSWERS_WITH_ALL_IT_GOT
  }

  private static final int LARGE = 100_000;

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final WebhookDeduplicator seen = new WebhookDeduplicator(Duration.ofMinutes(10), 1000);
  private final CountDownLatch released = new CountDownLatch(1);
  private final Set<Fault> faults;
  private volatile WebhookVerifier verifier;

  /** The headers of each request that has come. */
  public final List<Headers> received = new CopyOnWriteArrayList<>();

  public WebhookReceiver(Fault... faults) {
    this.faults = Set.of(faults);
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.createContext("/", this::handle);
    server.setExecutor(threads);
    server.start();
  }

  /** Verifies by this key from now on. */
  public void verifyBy(String key) {
    WebhookVerifier.Builder builder = WebhookVerifier.builder(key);
    if (faults.contains(Fault.IGNORES_TIMESTAMPS)) {
      builder.tolerance(Duration.ofDays(1));
    }
    verifier = builder.build();
  }

  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/hook";
  }

  /** Answers what has been held. */
  public void release() {
    released.countDown();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] body = exchange.getRequestBody().readAllBytes();
      received.add(exchange.getRequestHeaders());
      if (faults.contains(Fault.HANGS_AFTER_THE_FIRST) && received.size() > 1) {
        released.await();
      }
      int status = status(exchange, body);
      byte[] answer = {};
      if (faults.contains(Fault.ANSWERS_WITH_ALL_IT_GOT)) {
        answer = exchange.getRequestHeaders().entrySet().toString().getBytes(UTF_8);
      }
      exchange.sendResponseHeaders(status, answer.length == 0 ? -1 : answer.length);
      exchange.getResponseBody().write(answer);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private int status(HttpExchange exchange, byte[] body) {
    if (faults.contains(Fault.TAKES_NOTHING)) {
      return 500;
    }
    if (faults.contains(Fault.REFUSES_LARGE_BODIES) && body.length > LARGE) {
      return 413;
    }
    WebhookVerifier current = verifier;
    if (current == null) {
      return 204;
    }
    Headers headers = exchange.getRequestHeaders();
    String id = headers.getFirst("webhook-id");
    try {
      current.verify(headers::getFirst, body);
    } catch (WebhookVerificationException e) {
      boolean ignored =
          e.reason() == WebhookVerificationException.Reason.NO_MATCHING_SIGNATURE
              && faults.contains(Fault.IGNORES_SIGNATURES);
      if (!ignored) {
        return 401;
      }
    }
    if (seen.begin(id) != WebhookDeduplicator.Standing.NEW) {
      return faults.contains(Fault.REFUSES_REPETITIONS) ? 409 : 200;
    }
    seen.processed(id);
    return 204;
  }

  @Override
  public void close() {
    release();
    server.stop(0);
    threads.shutdownNow();
  }
}
