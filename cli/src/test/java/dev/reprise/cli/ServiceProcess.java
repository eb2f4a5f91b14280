package dev.reprise.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.fixtures.Await;
import dev.reprise.fixtures.StartedProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The real service in a process of its own, and a client that speaks to it. */
final class ServiceProcess implements AutoCloseable {
  private final HttpClient client = HttpClient.newHttpClient();
  private final Path data;
  private final Path stderr;
  private final List<String> flags;
  private final List<String> options;
  private volatile StartedProcess process;
  private volatile String url;

  /** Nothing runs before {@link #start}. */
  ServiceProcess(Path data, Path stderr) {
    this(data, stderr, StartedProcess.quick("-Xmx256m"), List.of("--attempt-timeout", "10m"));
  }

  /**
   * The same with other flags of the JVM, such as {@code -Xmx512m}, and options of {@code serve}.
   */
  ServiceProcess(Path data, Path stderr, List<String> flags, List<String> options) {
    this.data = data;
    this.stderr = stderr;
    this.flags = flags;
    this.options = options;
  }

  /** Starts the process, with more variables of its environment; does not wait for it. */
  void launch(Map<String, String> environment) throws IOException {
    List<String> jvm = new ArrayList<>(flags);
    jvm.add("-XX:+ExitOnOutOfMemoryError");
    List<String> serve = new ArrayList<>(List.of("serve", "--dev", "--port", "0", "--json"));
    serve.addAll(List.of("--data", data.toString()));
    serve.addAll(options);
    ProcessBuilder builder =
        new ProcessBuilder(StartedProcess.java(jvm, Main.class.getName(), serve))
            .redirectError(stderr.toFile());
    builder.environment().putAll(environment);
    close();
    process = StartedProcess.start("the service", builder, stderr);
  }

  /** Starts the process and waits until it is ready. */
  void start(Map<String, String> environment) throws Exception {
    launch(environment);
    // Nothing else is printed, so nobody has to read on.
    BufferedReader out = process.process().inputReader(UTF_8);
    String line = out.readLine();
    if (line == null) {
      throw new AssertionError("it ended with " + awaitExit() + "; " + said());
    }
    url = JsonMapper.shared().readTree(line).get("url").asString();
    await("the service to be ready", () -> status("/health/ready") == 200);
  }

  /** Ends it as a crash of the process does. */
  void kill() {
    process.kill();
  }

  /** Waits for its end; the exit code. */
  int awaitExit() throws InterruptedException {
    return process.awaitEnd(Await.LIMIT);
  }

  /** The status of an answer; 0 if there is none. */
  int status(String path) throws InterruptedException {
    try {
      return request("GET", path, "").statusCode();
    } catch (IOException e) {
      assertThat(process.isAlive()).as(this::said).isTrue();
      return 0;
    }
  }

  JsonNode get(String path) throws IOException, InterruptedException {
    return JsonMapper.shared().readTree(send("GET", path, ""));
  }

  boolean isAlive() {
    return process.isAlive();
  }

  String url() {
    return url;
  }

  /** Asks for what must succeed; the body of the answer. */
  String send(String method, String path, String body) throws IOException, InterruptedException {
    HttpResponse<String> response = request(method, path, body);
    assertThat(response.statusCode()).as(response.body()).isBetween(200, 299);
    return response.body();
  }

  HttpResponse<String> request(String method, String path, String body)
      throws IOException, InterruptedException {
    return client.send(
        HttpRequest.newBuilder(URI.create(url + path))
            .timeout(Duration.ofMinutes(5))
            .header("Content-Type", "application/json")
            .method(
                method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
            .build(),
        BodyHandlers.ofString());
  }

  void await(String what, Await.Condition condition) {
    process.await(what, condition);
  }

  /** The end of what it wrote to its log, for the message of a test that fails. */
  String said() {
    return process.said();
  }

  /** All that it wrote to its log. */
  String log() {
    try {
      return Files.readString(stderr, UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    if (process != null) {
      // It writes into a folder that is deleted next.
      process.close();
    }
  }
}
