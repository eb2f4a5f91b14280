package dev.reprise.cli.demo;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.reprise.cli.base.CommandFailure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A failing endpoint of a customer: the first request gets 503 with {@code Retry-After: 2}, the
 * second no answer at all, the others are taken; but an invoice is refused until {@link #mend()}.
 */
final class DemoEndpoint implements AutoCloseable {
  private final HttpServer server;
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "demo-endpoint");
            thread.setDaemon(true);
            return thread;
          });
  private final CountDownLatch closing = new CountDownLatch(1);
  private final AtomicInteger requests = new AtomicInteger();
  private volatile boolean mended;

  DemoEndpoint() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw CommandFailure.failed("the demo's endpoint cannot listen: " + e.getMessage());
    }
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/hooks";
  }

  /** Makes the endpoint accept invoices from now on. */
  void mend() {
    mended = true;
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      switch (requests.incrementAndGet()) {
        case 1 -> reply(exchange, 503, Map.of("Retry-After", "2"), "deploying, back in a moment");
        case 2 -> hang();
        default -> {
          if (body.contains("invoice.paid") && !mended) {
            reply(exchange, 422, Map.of(), "unknown event type invoice.paid");
          } else {
            exchange.sendResponseHeaders(204, -1);
          }
        }
      }
    }
  }

  private void hang() {
    try {
      closing.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void reply(
      HttpExchange exchange, int status, Map<String, String> headers, String text)
      throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    headers.forEach(exchange.getResponseHeaders()::set);
    exchange.getResponseHeaders().set("Content-Type", "text/plain");
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  @Override
  public void close() {
    closing.countDown();
    server.stop(0);
    threads.shutdownNow();
  }
}
