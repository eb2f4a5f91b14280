package dev.reprise.dist;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.fixtures.StartedProcess;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the service of the archive says to systemd, at the end of systemd's socket. */
@Tag("slow")
class SystemdTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final Pattern URL = Pattern.compile("(http://127\\.0\\.0\\.1:\\d+), started in");

  /** Prints a line for each datagram; an @ begins the name of an abstract socket. */
  private static final String SOCKET =
      """
      import socket, sys
      name = sys.argv[1]
      end = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
      end.bind('\\0' + name[1:] if name.startswith('@') else name)
      print('bound', flush=True)
      while True:
          said = end.recv(4096).decode()
          # With that the command waits until what it has said was received.
          if said != 'BARRIER=1':
              print(said, flush=True)
      """;

  @TempDir private Path folder;
  private Installation installation;
  private StartedProcess socket;
  private StartedProcess service;

  @BeforeEach
  void install() throws Exception {
    installation = Installation.in(folder);
  }

  @AfterEach
  void end() {
    if (service != null) {
      service.close();
    }
    if (socket != null) {
      socket.close();
    }
  }

  @Test
  void saysThatItIsReadyGoesOnAndStops() throws Exception {
    String name = listen(folder.resolve("notify").toString());

    serve(Map.of("NOTIFY_SOCKET", name, "WATCHDOG_USEC", "1000000"), "0");

    service.await("READY=1", () -> heard().contains("READY=1"));
    assertThat(heard().indexOf("READY=1")).as(heard().toString()).isEqualTo(1);
    assertAnswers();
    service.await("signs of life", () -> heard().stream().filter("WATCHDOG=1"::equals).count() > 2);
    service.askToEnd();
    assertThat(service.awaitEnd(PATIENCE)).as(said("err")).isZero();
    assertThat(heard()).contains("STOPPING=1");
  }

  @Test
  void saysItToAnAbstractSocketWithoutWatchdog() throws Exception {
    String name = listen("@reprise-" + UUID.randomUUID());

    serve(Map.of("NOTIFY_SOCKET", name), "0");

    service.await("READY=1", () -> heard().contains("READY=1"));
    assertAnswers();
    service.askToEnd();
    assertThat(service.awaitEnd(PATIENCE)).as(said("err")).isZero();
    assertThat(heard()).containsExactly("bound", "READY=1", "STOPPING=1");
  }

  @Test
  void saysNothingIfItCannotStart() throws Exception {
    String name = listen(folder.resolve("notify").toString());
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      serve(
          Map.of("NOTIFY_SOCKET", name, "WATCHDOG_USEC", "1000000"),
          Integer.toString(taken.getLocalPort()));

      assertThat(service.awaitEnd(PATIENCE)).isEqualTo(1);
    }
    assertThat(heard()).containsExactly("bound");
  }

  @Test
  void servesWhereTheCommandOfSystemdIsNotInstalled() throws Exception {
    serve(Map.of("NOTIFY_SOCKET", "/run/nobody", "PATH", folder.resolve("tools").toString()), "0");

    service.await(
        "a warning",
        () -> said("err").contains("NOTIFY_SOCKET is set, but systemd-notify cannot be run"));
    assertAnswers();
  }

  private String listen(String name) throws Exception {
    Path heard = folder.resolve("heard");
    Path err = folder.resolve("heard-err");
    ProcessBuilder builder =
        new ProcessBuilder("python3", "-c", SOCKET, name)
            .redirectOutput(heard.toFile())
            .redirectError(err.toFile());
    socket = StartedProcess.start("socket", builder, err);
    socket.await("the socket", () -> heard().contains("bound"));
    return name;
  }

  private List<String> heard() throws Exception {
    return Files.readAllLines(folder.resolve("heard"), UTF_8);
  }

  private void serve(Map<String, String> given, String port) throws Exception {
    Map<String, String> environment = new HashMap<>();
    environment.put("PATH", folder.resolve("tools") + ":/usr/bin:/bin");
    environment.putAll(given);
    service =
        installation.start(
            installation.file("reprise"),
            folder.resolve("out"),
            folder.resolve("err"),
            environment,
            "serve",
            "--data",
            folder.resolve("data").toString(),
            "--port",
            port);
  }

  private void assertAnswers() throws Exception {
    service.await("its banner", () -> said("out").contains("started in"));
    Matcher found = URL.matcher(said("out"));
    assertThat(found.find()).as(said("out")).isTrue();
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(found.group(1) + "/health/live")).build();
    assertThat(HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).statusCode())
        .isEqualTo(200);
  }

  private String said(String stream) throws Exception {
    return Files.readString(folder.resolve(stream), UTF_8);
  }
}
