package dev.reprise.bench.service;

import dev.reprise.cluster.broker.Brokers;
import dev.reprise.fixtures.StartedProcess;
import java.io.IOException;
import java.net.ServerSocket;
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

/** The real service in a process of its own, as {@code ./reprise serve --dev} starts it. */
final class ServiceProcess implements AutoCloseable {
  private static final Path SILENT = Path.of("/dev/null");

  private final StartedProcess process;
  private final String url;
  private final HttpClient client = HttpClient.newHttpClient();

  private ServiceProcess(StartedProcess process, String url) {
    this.process = process;
    this.url = url;
  }

  static int freePort() {
    try (ServerSocket free = new ServerSocket(0)) {
      return free.getLocalPort();
    } catch (IOException e) {
      throw new IllegalStateException("no free port", e);
    }
  }

  /** Starts the service and waits until it is ready. */
  static ServiceProcess start(Path data, String... jvmFlags) throws Exception {
    return start(data, List.of(), jvmFlags);
  }

  /** Starts the service with further options and waits until it is ready. */
  static ServiceProcess start(Path data, List<String> options, String... jvmFlags)
      throws Exception {
    ServiceProcess service = launch(data, options, jvmFlags);
    service.awaitReady();
    return service;
  }

  /** Starts a node of a cluster and waits until it is ready. */
  static ServiceProcess startNode(
      Path data, Brokers brokers, String node, List<String> options, String... jvmFlags)
      throws Exception {
    List<String> all = new ArrayList<>();
    all.addAll(List.of("--cluster", brokers.bootstrap(), "--node", node));
    all.addAll(options);
    return start(data, all, jvmFlags);
  }

  /** Starts the service without waiting. */
  static ServiceProcess launch(Path data, String... jvmFlags) throws IOException {
    return launch(data, List.of(), jvmFlags);
  }

  private static ServiceProcess launch(Path data, List<String> options, String... jvmFlags)
      throws IOException {
    int port = freePort();
    List<String> serve = new ArrayList<>(List.of("serve", "--dev"));
    serve.addAll(List.of("--port", "" + port, "--data", data.toString()));
    serve.addAll(options);
    ProcessBuilder builder =
        new ProcessBuilder(StartedProcess.java(List.of(jvmFlags), "dev.reprise.cli.Main", serve))
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    return new ServiceProcess(
        StartedProcess.start("the service", builder, SILENT), "http://127.0.0.1:" + port);
  }

  void awaitReady() {
    process.await("ready", this::isReady);
  }

  private boolean isReady() throws InterruptedException {
    try {
      return get("/health/ready").statusCode() == 200;
    } catch (IOException e) {
      return false;
    }
  }

  String url() {
    return url;
  }

  boolean isAlive() {
    return process.isAlive();
  }

  HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return client.send(
        HttpRequest.newBuilder(URI.create(url + path)).build(), BodyHandlers.ofString());
  }

  /** Sends a request that must succeed. */
  String send(String method, String path, String contentType, String body)
      throws IOException, InterruptedException {
    HttpResponse<String> response =
        client.send(
            HttpRequest.newBuilder(URI.create(url + path))
                .header("Content-Type", contentType)
                .method(method, BodyPublishers.ofString(body))
                .build(),
            BodyHandlers.ofString());
    if (response.statusCode() / 100 != 2) {
      throw new IOException(
          method + " " + path + " -> " + response.statusCode() + " " + response.body());
    }
    return response.body();
  }

  void createTopic(String name, String policy) throws IOException, InterruptedException {
    send("PUT", "/v1/topics/" + name, "application/json", policy);
  }

  void subscribe(String topic, String settings) throws IOException, InterruptedException {
    send("POST", "/v1/topics/" + topic + "/subscriptions", "application/json", settings);
  }

  long pid() {
    return process.process().pid();
  }

  /** Returns the resident memory, in bytes. */
  long residentBytes() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/" + pid() + "/status"))) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
      }
    }
    throw new IOException("no VmRSS for process " + pid());
  }

  /** Returns the bytes that are left on the heap after a collection. */
  long liveHeapBytes() throws IOException, InterruptedException {
    String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
    new ProcessBuilder(jcmd, "" + pid(), "GC.run")
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start()
        .waitFor();
    return get("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith("jvm_memory_used_bytes{area=\"heap\""))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  /** Ends the process as a power failure would. */
  void kill() {
    process.kill();
  }

  @Override
  public void close() {
    process.askToEnd();
    try {
      int unused = process.awaitEnd(Duration.ofSeconds(30));
    } catch (InterruptedException | AssertionError e) {
      // It is killed next.
    } finally {
      kill();
    }
  }
}
