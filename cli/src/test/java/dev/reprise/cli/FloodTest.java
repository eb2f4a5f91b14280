package dev.reprise.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.fixtures.Await;
import dev.reprise.fixtures.StartedProcess;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** More clients at once than the process has descriptors, or memory, for. */
@Tag("slow")
class FloodTest {
  @TempDir Path data;
  private final HttpClient client = HttpClient.newHttpClient();
  private final List<Socket> sockets = new ArrayList<>();
  private StartedProcess process;
  private String url;
  private String key = "";

  @AfterEach
  void end() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
    if (process != null) {
      // It writes into the folder that is deleted next.
      process.close();
    }
  }

  private void start(String before, String... options) throws IOException {
    List<String> serve = new ArrayList<>(List.of("serve", "--port", "0", "--json"));
    serve.addAll(List.of("--data", data.toString()));
    serve.addAll(List.of(options));
    List<String> command = new ArrayList<>(List.of("bash", "-c", before + "exec \"$@\"", "bash"));
    command.addAll(
        StartedProcess.java(
            List.of("-Xmx512m", "-XX:+ExitOnOutOfMemoryError"), Main.class.getName(), serve));
    Path silent = Path.of("/dev/null");
    process =
        StartedProcess.start(
            "the service", new ProcessBuilder(command).redirectError(silent.toFile()), silent);
    // Not closed: the service would fail to write.
    BufferedReader out = process.process().inputReader(StandardCharsets.UTF_8);
    JsonNode said = JsonMapper.shared().readTree(out.readLine());
    url = said.get("url").asString();
    key = said.path("firstKey").asString("");
  }

  private HttpResponse<String> send(HttpClient from, String method, String path, String body)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url + path)).timeout(Duration.ofMinutes(5));
    if (!key.isEmpty()) {
      request.header("Authorization", "Bearer " + key);
    }
    if (!body.isEmpty()) {
      request.header("Content-Type", "application/json");
    }
    return from.send(
        request.method(method, BodyPublishers.ofString(body)).build(), BodyHandlers.ofString());
  }

  private double metric(String name) throws IOException, InterruptedException {
    return send(client, "GET", "/metrics", "")
        .body()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .findFirst()
        .orElseThrow();
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), URI.create(url).getPort());
    socket.setSoTimeout(180_000);
    sockets.add(socket);
    return socket;
  }

  private void publishes(HttpClient from) throws IOException, InterruptedException {
    HttpResponse<String> answer = send(from, "POST", "/v1/topics/t/messages", "{\"body\":1}");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
  }

  @Test
  void idleStrangersTakeNoDescriptorFromPublishersNorFromTheStore() throws Exception {
    start("ulimit -n 700; ");
    assertThat(key).isNotEmpty();
    assertThat(send(client, "PUT", "/v1/topics/t", "{}").statusCode()).isEqualTo(201);
    publishes(client);
    for (int i = 0; i < 900; i++) {
      connect();
      if (i % 100 == 0) {
        publishes(client);
      }
    }
    publishes(client);
    publishes(HttpClient.newHttpClient());
    assertThat(metric("process_files_max_files")).isEqualTo(700);
    assertThat(metric("process_files_open_files")).isLessThan(500);
    // The last closings may be under way.
    Await.value("connections", () -> metric("reprise_api_connections"), open -> open <= 64);
    assertThat(
            metric("reprise_api_connections_closed_total")
                + metric("reprise_api_connections_refused_total"))
        .isGreaterThanOrEqualTo(830);
    assertThat(send(client, "GET", "/health/ready", "").statusCode()).isEqualTo(200);
  }

  @Test
  void manyRequestsOfTinyLinesFitIntoTheHeap() throws Exception {
    start("", "--dev", "--shards", "1");
    send(client, "PUT", "/v1/topics/t", "{}");
    HttpResponse<String> subscription =
        send(
            client,
            "POST",
            "/v1/topics/t/subscriptions",
            "{\"endpoint\":\"http://127.0.0.1:9/\",\"maxInFlight\":1}");
    assertThat(subscription.statusCode()).as(subscription.body()).isEqualTo(201);
    byte[] body = "{\"body\":1}\n".repeat(1000).getBytes(US_ASCII);
    String head =
        "POST /v1/topics/t/messages HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            + "Content-Type: application/x-ndjson\r\nContent-Length: "
            + body.length
            + "\r\n\r\n";
    List<Socket> publishers = new ArrayList<>();
    for (int i = 0; i < 1500; i++) {
      Socket socket = connect();
      socket.getOutputStream().write(head.getBytes(US_ASCII));
      publishers.add(socket);
    }
    for (Socket socket : publishers) {
      socket.getOutputStream().write(body);
    }
    Map<String, Integer> statuses = new TreeMap<>();
    int lines = 0;
    for (Socket socket : publishers) {
      String answer = readAll(socket);
      assertThat(answer).startsWith("HTTP/1.1 ");
      String status = answer.substring(9, 12);
      statuses.merge(status, 1, Integer::sum);
      if (status.equals("503")) {
        assertThat(answer.toLowerCase(Locale.ROOT)).contains("retry-after: ");
      } else {
        lines += answer.split("\"messageId\"", -1).length - 1;
      }
    }
    assertThat(statuses.keySet()).isSubsetOf("202", "503");
    assertThat(statuses.get("202")).isGreaterThan(100);
    assertThat(metric("reprise_messages_published_total")).isEqualTo(lines);
    assertThat(process.isAlive()).isTrue();
    System.out.println("1500 requests of 1000 lines: " + statuses + ", " + lines + " published");
  }

  private static String readAll(Socket socket) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    try (InputStream in = socket.getInputStream()) {
      in.transferTo(all);
    }
    return all.toString(US_ASCII);
  }
}
