package dev.reprise.cli.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.reprise.cli.base.CommandFailure;
import dev.reprise.cli.base.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import tools.jackson.databind.JsonNode;

/**
 * A webhook that takes everything, and a queue as SQS has it, on one HTTP server that the demo
 * starts in its own process.
 */
final class DemoHttp implements AutoCloseable {
  private final HttpServer server;
  private final List<String> hooked = new CopyOnWriteArrayList<>();
  private final List<String> queued = new CopyOnWriteArrayList<>();

  DemoHttp() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw CommandFailure.failed("the demo's endpoint cannot listen: " + e.getMessage());
    }
    server.createContext("/hooks", this::hook);
    server.createContext("/", this::queue);
    server.start();
  }

  String hookUrl() {
    return queueUrl() + "/hooks";
  }

  String queueUrl() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  List<String> hooked() {
    return hooked;
  }

  List<String> queued() {
    return queued;
  }

  private void hook(HttpExchange exchange) throws IOException {
    try (exchange) {
      String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
      String signature = exchange.getRequestHeaders().getFirst("webhook-signature");
      hooked.add(body + (signature == null ? "" : "  (signed: " + signature + ")"));
      exchange.sendResponseHeaders(204, -1);
    }
  }

  private void queue(HttpExchange exchange) throws IOException {
    try (exchange) {
      JsonNode request = Json.tryRead(new String(exchange.getRequestBody().readAllBytes(), UTF_8));
      String message = request == null ? "" : request.path("MessageBody").asString("");
      if (!message.isEmpty()) {
        queued.add(message);
      }
      byte[] answer =
          Json.compact(
                  Json.object().put("MessageId", "demo-1").put("MD5OfMessageBody", md5(message)))
              .getBytes(UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "application/x-amz-json-1.0");
      exchange.sendResponseHeaders(200, answer.length);
      exchange.getResponseBody().write(answer);
    }
  }

  private static String md5(String text) {
    try {
      return HexFormat.of()
          .formatHex(MessageDigest.getInstance("MD5").digest(text.getBytes(UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has MD5", e);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
