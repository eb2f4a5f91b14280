package dev.reprise.dist;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.sun.net.httpserver.HttpServer;
import dev.reprise.fixtures.StartedProcess;
import java.io.BufferedReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The service as OpenShift runs it: by a user without a name, of group 0, on files that belong to
 * root, without a folder for temporary files or with one from which nothing may be executed.
 */
@Tag("slow")
class AnyUserTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final Pattern URL = Pattern.compile("(http://127\\.0\\.0\\.1:\\d+), started in");
  private static final String USER = "1234567890";
  private static final Path PORTS = Path.of("/proc/sys/net/ipv4/ip_unprivileged_port_start");

  /** Becomes the command that follows, which alone sees the mount; as root, so before setpriv. */
  private static final String NOEXEC =
      "/bin/mount -t tmpfs -o noexec,mode=1777 tmpfs \"$0\" && exec \"$@\"";

  private final HttpClient client = HttpClient.newHttpClient();
  private final Set<String> arrived = new ConcurrentSkipListSet<>();
  @TempDir private Path folder;
  private Installation installation;
  private HttpServer endpoint;
  private Path volume;
  private StartedProcess service;
  private String url;
  private List<String> before = List.of();
  private int starts;

  @BeforeEach
  void install() throws Exception {
    assumeThat(Files.isWritable(Path.of("/etc/passwd"))).as("only root becomes others").isTrue();
    installation = Installation.in(folder);
    mode(folder, "rwxr-x--x");
    volume = mode(Files.createDirectory(folder.resolve("volume")), "rwxrwx---");
    endpoint = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
    endpoint.createContext(
        "/",
        exchange -> {
          try (exchange) {
            arrived.add(new String(exchange.getRequestBody().readAllBytes(), UTF_8));
            exchange.sendResponseHeaders(200, -1);
          }
        });
    endpoint.start();
  }

  @AfterEach
  void end() {
    if (service != null) {
      service.close();
    }
    if (endpoint != null) {
      endpoint.stop(0);
    }
  }

  @Test
  void deliversWithoutTemporaryFolderAndWithOneThatRunsNothing() throws Exception {
    serve(folder.resolve("no-such-folder"));
    subscribe();
    publish("{\"order\":1}");
    service.await("the message to arrive", () -> arrived.contains("{\"order\":1}"));
    assertThat(Files.getAttribute(volume.resolve("data"), "unix:uid"))
        .isEqualTo(Integer.parseInt(USER));

    service.askToEnd();
    assertThat(service.awaitEnd(PATIENCE)).as(said("err")).isZero();
    Path temporary = Files.createDirectory(folder.resolve("temporary"));
    before = List.of("/usr/bin/unshare", "--mount", "/bin/sh", "-c", NOEXEC, temporary.toString());
    serve(temporary);
    assertThat(Files.readAllLines(Path.of("/proc/" + service.process().pid() + "/mounts")))
        .anyMatch(mount -> mount.contains(" " + temporary + " ") && mount.contains("noexec"));
    publish("{\"order\":2}");

    service.await("the second message to arrive", () -> arrived.contains("{\"order\":2}"));
  }

  @Test
  void leavesNoTemporaryFileBehindWhenItIsKilled() throws Exception {
    Path temporary = mode(Files.createDirectory(folder.resolve("temporary")), "rwxrwxrwx");
    serve(temporary);
    long pid = service.process().pid();
    subscribe();
    publish("{\"order\":1}");
    service.await("the message to arrive", () -> arrived.contains("{\"order\":1}"));

    service.kill();

    try (Stream<Path> left = Files.list(temporary)) {
      assertThat(left).isEmpty();
    }
    // The counters of a JVM are there whatever java.io.tmpdir says.
    try (DirectoryStream<Path> counters =
        Files.newDirectoryStream(Path.of("/tmp"), "hsperfdata_*")) {
      assertThat(counters)
          .allSatisfy(user -> assertThat(user.resolve(Long.toString(pid))).doesNotExist());
    }
  }

  @Test
  void saysWhatAPortBelow1024Takes() throws Exception {
    assumeThat(firstOpenPort()).isGreaterThan(1);
    start(folder.resolve("no-such-folder"), "1");

    assertThat(service.awaitEnd(PATIENCE)).isEqualTo(1);
    assertThat(said("err"))
        .contains(
            "cannot listen on 127.0.0.1:1: permission denied",
            "CAP_NET_BIND_SERVICE",
            "AmbientCapabilities",
            "net.ipv4.ip_unprivileged_port_start")
        .doesNotContain("another process");
  }

  private static int firstOpenPort() throws Exception {
    // Linux gives such a number at once or not at all, so not by Files.readString.
    try (BufferedReader file = Files.newBufferedReader(PORTS)) {
      return Integer.parseInt(file.readLine().strip());
    }
  }

  private void serve(Path temporary) throws Exception {
    start(temporary, "0");
    service.await("its banner", () -> said("out").contains("started in"));
    Matcher found = URL.matcher(said("out"));
    assertThat(found.find()).as(said("out")).isTrue();
    url = found.group(1);
  }

  private void start(Path temporary, String port) throws Exception {
    starts++;
    List<String> launcher = new ArrayList<>(before);
    launcher.addAll(
        List.of(
            "/usr/bin/setpriv",
            "--reuid",
            USER,
            "--regid",
            "0",
            "--clear-groups",
            "--bounding-set=-all",
            "--inh-caps=-all",
            installation.file("reprise").toString()));
    service =
        installation.start(
            launcher,
            output("out"),
            output("err"),
            Map.of("REPRISE_JAVA_OPTS", "-Xmx256m -Djava.io.tmpdir=" + temporary),
            "serve",
            "--data",
            volume.resolve("data").toString(),
            "--port",
            port,
            "--allow",
            "127.0.0.1/32");
  }

  private void subscribe() throws Exception {
    send("PUT", "/v1/topics/orders", "{}");
    send(
        "POST",
        "/v1/topics/orders/subscriptions",
        "{\"format\": \"raw\", \"endpoint\": \"http://127.0.0.1:"
            + endpoint.getAddress().getPort()
            + "/hook\"}");
  }

  private void publish(String body) throws Exception {
    send("POST", "/v1/topics/orders/messages", "{\"body\": " + body + "}");
  }

  private void send(String method, String path, String body) throws Exception {
    String key = Files.readString(volume.resolve("data/first-api-key")).strip();
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url + path))
            .timeout(PATIENCE)
            .header("Content-Type", "application/json")
            .header("Authorization", "Bearer " + key)
            .method(method, BodyPublishers.ofString(body))
            .build();
    HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
    assertThat(response.statusCode()).as(response.body()).isBetween(200, 299);
  }

  private static Path mode(Path path, String mode) throws Exception {
    return Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
  }

  private Path output(String stream) {
    return folder.resolve("service-" + stream + "-" + starts);
  }

  private String said(String stream) throws Exception {
    return Files.readString(output(stream), UTF_8);
  }
}
