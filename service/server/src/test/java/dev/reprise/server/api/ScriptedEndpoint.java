package dev.reprise.server.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/** A subscriber's endpoint that answers by a script, then always with 204. */
final class ScriptedEndpoint implements AutoCloseable {
  private final HttpServer server;
  private final Queue<Step> script = new ConcurrentLinkedQueue<>();
  private final CountDownLatch released = new CountDownLatch(1);
  private volatile int otherwise = 204;
  private volatile byte[] answerBody = {};
  private final Map<String, String> answerHeaders = new ConcurrentHashMap<>();
  final List<Received> received = new CopyOnWriteArrayList<>();

  /** One answer. */
  record Step(int status, String retryAfter, boolean held) {}

  /** One request as it came. */
  record Received(
      byte[] body,
      String contentType,
      String messageId,
      String attempt,
      String method,
      Headers headers) {
    /** The first value of a header; null without one. */
    String header(String name) {
      return headers.getFirst(name);
    }
  }

  ScriptedEndpoint() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.createContext("/", this::handle);
    server.start();
  }

  ScriptedEndpoint then(int status, String retryAfter) {
    script.add(new Step(status, retryAfter, false));
    return this;
  }

  /** Then an answer that is not given before {@link #release()}. */
  ScriptedEndpoint thenHeld(int status) {
    script.add(new Step(status, null, true));
    return this;
  }

  /** Lets what is held be answered. */
  void release() {
    released.countDown();
  }

  ScriptedEndpoint always(int status) {
    otherwise = status;
    return this;
  }

  /** Every answer has this header. */
  ScriptedEndpoint withHeader(String name, String value) {
    answerHeaders.put(name, value);
    return this;
  }

  /** Every answer but 204 has this body. */
  ScriptedEndpoint withBody(String body) {
    answerBody = body.getBytes(UTF_8);
    return this;
  }

  /** The requests that were deliveries. */
  List<Received> posts() {
    return received.stream().filter(each -> each.method().equals("POST")).toList();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/hook";
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      received.add(
          new Received(
              exchange.getRequestBody().readAllBytes(),
              exchange.getRequestHeaders().getFirst("Content-Type"),
              exchange.getRequestHeaders().getFirst("Reprise-Message-Id"),
              exchange.getRequestHeaders().getFirst("Reprise-Attempt"),
              exchange.getRequestMethod(),
              exchange.getRequestHeaders()));
      Step step = script.poll();
      if (step != null && step.held()) {
        awaitRelease();
      }
      if (step != null && step.retryAfter() != null) {
        exchange.getResponseHeaders().add("Retry-After", step.retryAfter());
      }
      answerHeaders.forEach(exchange.getResponseHeaders()::add);
      byte[] body = answerBody;
      int status = step == null ? otherwise : step.status();
      exchange.sendResponseHeaders(status, body.length == 0 || status == 204 ? -1 : body.length);
      if (body.length > 0 && status != 204) {
        exchange.getResponseBody().write(body);
      }
    }
  }

  private void awaitRelease() {
    try {
      released.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    release();
    server.stop(0);
  }
}
