package dev.reprise.endpoints.aws;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Function;

/**
 * An HTTP server in the place of AWS, for answers that no server of others gives at will. Refuses
 * what is not signed as AWS' documentation says.
 */
final class AwsServer implements AutoCloseable {
  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  final BlockingQueue<SignatureV4.Received> received = new LinkedBlockingQueue<>();
  private volatile Function<SignatureV4.Received, Answer> script = request -> Answer.json(200, "");

  /** An answer; a status of 0 breaks the connection off, one of -1 says nothing until the end. */
  record Answer(int status, Map<String, String> headers, byte[] body) {
    static Answer json(int status, String body) {
      return new Answer(status, Map.of(), body.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }

    Answer with(String header, String value) {
      return new Answer(status, Map.of(header, value), body);
    }
  }

  AwsServer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  void answers(Answer answer) {
    script = request -> answer;
  }

  void answers(Function<SignatureV4.Received, Answer> newScript) {
    script = newScript;
  }

  private void handle(HttpExchange exchange) throws IOException {
    Map<String, String> headers = new TreeMap<>();
    exchange
        .getRequestHeaders()
        .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values.get(0)));
    var request =
        new SignatureV4.Received(
            exchange.getRequestMethod(),
            exchange.getRequestURI().getRawPath(),
            headers,
            exchange.getRequestBody().readAllBytes());
    String service = headers.containsKey("x-amz-target") ? "sqs" : "lambda";
    String problem =
        SignatureV4.problem(
            request, AwsFixture.KEY_ID, AwsFixture.SECRET, "eu-central-1/" + service);
    Answer answer =
        problem == null
            ? script.apply(request)
            : Answer.json(418, "{\"message\": \"" + problem + "\"}");
    received.add(request);
    if (answer.status() == -1) {
      return;
    }
    try (exchange) {
      if (answer.status() == 0) {
        return;
      }
      answer.headers().forEach(exchange.getResponseHeaders()::set);
      exchange.sendResponseHeaders(
          answer.status(), answer.body().length == 0 ? -1 : answer.body().length);
      exchange.getResponseBody().write(answer.body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  List<SignatureV4.Received> all() {
    return List.copyOf(received);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
