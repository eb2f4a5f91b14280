package dev.reprise.examples.smithy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** A real HTTP server on this machine that fails as it is told, and answers from then on. */
final class WeatherService implements AutoCloseable {
  private static final String ANSWER = "{\"summary\":\"sunny\"}";

  /** An answer that is no success. */
  private record Fault(int status, String type, String retryAfter, String body) {}

  private final HttpServer server;
  private final Queue<Fault> faults = new ConcurrentLinkedQueue<>();
  private final AtomicInteger requests = new AtomicInteger();
  private volatile String lastPath = "";

  WeatherService() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.createContext("/", this::answer);
    server.start();
  }

  /** Answers one more request with an error of the model. */
  WeatherService fails(int status, String type, String body) {
    return fails(status, type, "", body);
  }

  /**
   * Answers one more request with an error of the model.
   *
   * @param type the shape's name, or empty for an answer that is not the service's own
   * @param retryAfter seconds, or empty for none
   */
  WeatherService fails(int status, String type, String retryAfter, String body) {
    faults.add(new Fault(status, type, retryAfter, body));
    return this;
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
  }

  /** Returns how many requests came. */
  int requests() {
    return requests.get();
  }

  /** Returns the path of the last request, as it was sent; empty when none came. */
  String lastPath() {
    return lastPath;
  }

  private void answer(HttpExchange exchange) throws IOException {
    lastPath = exchange.getRequestURI().getRawPath();
    requests.incrementAndGet();
    exchange.getRequestBody().readAllBytes();
    Fault fault = faults.poll();
    if (fault == null) {
      send(exchange, 200, ANSWER);
      return;
    }
    if (!fault.type().isEmpty()) {
      exchange.getResponseHeaders().set("X-Amzn-Errortype", fault.type());
    }
    if (!fault.retryAfter().isEmpty()) {
      exchange.getResponseHeaders().set("Retry-After", fault.retryAfter());
    }
    send(exchange, fault.status(), fault.body());
  }

  private static void send(HttpExchange exchange, int status, String text) throws IOException {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    try (exchange) {
      exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
      exchange.getResponseBody().write(body);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
