package dev.reprise.examples.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.reprise.webhook.WebhookDeduplicator;
import dev.reprise.webhook.WebhookVerificationException;
import dev.reprise.webhook.WebhookVerifier;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/**
 * Receives orders as signed webhooks, and takes each one once.
 *
 * <p>The answers are those that a sender which retries understands: 2xx ends the delivery, 5xx
 * brings it again, 401 and 413 say that it is of no use to try again.
 */
public final class OrderReceiver implements AutoCloseable {
  private static final int MAX_BODY_BYTES = 1 << 20;

  private final WebhookVerifier verifier;
  private final WebhookDeduplicator deduplicator =
      new WebhookDeduplicator(Duration.ofDays(4), 100_000);
  private final Consumer<String> orders;
  private final ExecutorService threads = Executors.newFixedThreadPool(8);
  private final HttpServer server;

  /**
   * Starts the receiver.
   *
   * @param address where it listens; port 0 for any
   * @param orders takes the body of each order; when it throws, the order comes again
   */
  public OrderReceiver(InetSocketAddress address, WebhookVerifier verifier, Consumer<String> orders)
      throws IOException {
    this.verifier = verifier;
    this.orders = orders;
    server = HttpServer.create(address, 0);
    server.setExecutor(threads);
    server.createContext("/orders", this::receive);
    server.start();
  }

  /** Returns where orders are sent to. */
  public URI uri() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/orders");
  }

  private void receive(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] body = exchange.getRequestBody().readNBytes(MAX_BODY_BYTES + 1);
      int status = body.length > MAX_BODY_BYTES ? 413 : statusOf(exchange, body);
      if (status == 503) {
        exchange.getResponseHeaders().set("Retry-After", "5");
      }
      exchange.sendResponseHeaders(status, -1);
    }
  }

  private int statusOf(HttpExchange exchange, byte[] body) {
    String id;
    try {
      id = verifier.verify(exchange.getRequestHeaders()::getFirst, body).id();
    } catch (WebhookVerificationException e) {
      System.err.println("refused: " + e.getMessage());
      return 401;
    }
    return switch (deduplicator.begin(id)) {
      case NEW -> process(id, body);
      case IN_PROGRESS -> 503;
      case PROCESSED -> 204;
    };
  }

  private int process(String id, byte[] body) {
    boolean done = false;
    try {
      orders.accept(new String(body, UTF_8));
      done = true;
    } catch (RuntimeException e) {
      System.err.println("failed: " + e);
    } finally {
      if (done) {
        deduplicator.processed(id);
      } else {
        deduplicator.failed(id);
      }
    }
    return done ? 204 : 500;
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }

  /**
   * Prints orders: PORT KEY..., each key as the sender shows it, {@code whsec_} or {@code whpk_}.
   */
  public static void main(String[] args) throws Exception {
    String[] keys = Arrays.copyOfRange(args, 1, args.length);
    InetSocketAddress address = new InetSocketAddress(Integer.parseInt(args[0]));
    OrderReceiver receiver =
        new OrderReceiver(address, WebhookVerifier.of(keys), System.out::println);
    System.out.println("waiting for orders at " + receiver.uri());
  }
}
