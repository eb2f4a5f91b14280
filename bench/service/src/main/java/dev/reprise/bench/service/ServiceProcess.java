package dev.reprise.bench.service;

import dev.reprise.cluster.broker.Brokers;
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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The real service in a process of its own, as {@code ./reprise serve --dev} starts it. */
final class ServiceProcess implements AutoCloseable {
  private final Process process;
  private final String url;
  private final HttpClient client = HttpClient.newHttpClient();

  private ServiceProcess(Process process, String url) {
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
    ServiceProcess service = launch(data, jvmFlags);
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
    ServiceProcess service = launch(data, all, jvmFlags);
    service.awaitReady();
    return service;
  }

  /** Starts the service without waiting. */
  static ServiceProcess launch(Path data, String... jvmFlags) throws IOException {
    return launch(data, List.of(), jvmFlags);
  }

  private static ServiceProcess launch(Path data, List<String> options, String... jvmFlags)
      throws IOException {
    int port = freePort();
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(jvmFlags));
    if (Runtime.version().feature() >= 24) {
      command.add("--enable-native-access=ALL-UNNAMED");
      command.add("--sun-misc-unsafe-memory-access=allow");
    }
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of("dev.reprise.cli.Main", "serve", "--dev"));
    command.addAll(List.of("--port", "" + port, "--data", data.toString()));
    command.addAll(options);
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    return new ServiceProcess(process, "http://127.0.0.1:" + port);
  }

  void awaitReady() throws Exception {
    for (int i = 0; i < 1200; i++) {
      try {
        if (get("/health/ready").statusCode() == 200) {
          return;
        }
      } catch (IOException e) {
        if (!process.isAlive()) {
          throw new IOException("the service has ended with " + process.exitValue(), e);
        }
      }
      Thread.sleep(25);
    }
    throw new IOException("the service is not ready after 30 s");
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
    return process.pid();
  }

  /** Returns the resident memory, in bytes. */
  long residentBytes() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/" + process.pid() + "/status"))) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
      }
    }
    throw new IOException("no VmRSS for process " + process.pid());
  }

  /** Returns the bytes that are left on the heap after a collection. */
  long liveHeapBytes() throws IOException, InterruptedException {
    String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
    new ProcessBuilder(jcmd, "" + process.pid(), "GC.run")
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
    process.destroyForcibly();
    process.onExit().join();
  }

  @Override
  public void close() {
    process.destroy();
    try {
      process.onExit().get(30, TimeUnit.SECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      kill();
    }
  }
}
