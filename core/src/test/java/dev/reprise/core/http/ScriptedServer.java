package dev.reprise.core.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A real HTTP/1.1 server whose answers come in the order given, the last one again and again. */
final class ScriptedServer implements AutoCloseable {
  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Queue<Answer> answers;
  private final List<Seen> seen = new CopyOnWriteArrayList<>();

  /** Answers one request. */
  interface Answer {
    void to(HttpExchange exchange) throws IOException;

    static Answer status(int status, String... headers) {
      return body(status, "body of " + status, headers);
    }

    /** Answers with a body of known length. */
    static Answer body(int status, String body, String... headers) {
      return exchange -> {
        for (int i = 0; i < headers.length; i += 2) {
          exchange.getResponseHeaders().add(headers[i], headers[i + 1]);
        }
        byte[] bytes = body.getBytes(UTF_8);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
      };
    }
  }

  /** A request that came whole. */
  record Seen(String method, String path, String body, String connection) {}

  ScriptedServer(Answer... answers) throws IOException {
    this(0, answers);
  }

  ScriptedServer(int port, Answer... answers) throws IOException {
    this.answers = new ArrayDeque<>(List.of(answers));
    this.server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 200);
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  private void answer(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
    seen.add(
        new Seen(
            exchange.getRequestMethod(),
            exchange.getRequestURI().toString(),
            body,
            exchange.getRemoteAddress().toString()));
    Answer answer;
    synchronized (answers) {
      answer = answers.size() == 1 ? answers.element() : answers.remove();
    }
    answer.to(exchange);
  }

  /** Returns the requests so far. */
  List<Seen> seen() {
    return List.copyOf(seen);
  }

  /** Returns over how many connections the requests came. */
  long connections() {
    return seen.stream().map(Seen::connection).distinct().count();
  }

  int port() {
    return server.getAddress().getPort();
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + port() + "/");
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
