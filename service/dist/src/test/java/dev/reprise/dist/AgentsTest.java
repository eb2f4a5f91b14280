package dev.reprise.dist;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.fixtures.StartedProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Java agents, recordings and remote JMX, with the Java runtime of the archive. */
@Tag("slow")
class AgentsTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final Pattern URL = Pattern.compile("(http://127\\.0\\.0\\.1:\\d+), started in");

  private final HttpClient client = HttpClient.newHttpClient();
  @TempDir private Path folder;
  private Installation installation;
  private StartedProcess service;
  private String url;

  @BeforeEach
  void install() throws Exception {
    installation = Installation.in(folder);
  }

  @AfterEach
  void end() {
    if (service != null) {
      service.close();
    }
  }

  @Test
  void runsWithTheAgentOfOpenTelemetry() throws Exception {
    Path agent = jar("io.opentelemetry.javaagent.OpenTelemetryAgent");

    serve(
        Map.of(
            "JAVA_TOOL_OPTIONS",
            "-javaagent:" + agent,
            "OTEL_TRACES_EXPORTER",
            "none",
            "OTEL_METRICS_EXPORTER",
            "none",
            "OTEL_LOGS_EXPORTER",
            "none"));

    assertThat(said("err")).contains("opentelemetry-javaagent - version: ");
    assertThat(get(url + "/health/ready")).contains("ready");
  }

  @Test
  void runsWithTheJmxExporterOfPrometheus() throws Exception {
    Path agent = jar("io.prometheus.jmx.JavaAgent");
    Path rules = Files.writeString(folder.resolve("jmx.yaml"), "rules: [{pattern: '.*'}]\n");

    serve(Map.of("REPRISE_JAVA_OPTS", "-javaagent:" + agent + "=127.0.0.1:0:" + rules));

    // The agent does not say its port: of those that the process listens on it is the other one.
    service.await(
        "a metric of the exporter", () -> otherPorts().stream().anyMatch(this::isExporter));
  }

  @Test
  void recordsAndAnswersOverJmx() throws Exception {
    Path recorded = folder.resolve("service.jfr");

    serve(
        Map.of(
            "REPRISE_JAVA_OPTS",
            "-XX:StartFlightRecording=filename="
                + recorded
                + " -Dcom.sun.management.jmxremote.port=0"
                + " -Dcom.sun.management.jmxremote.host=127.0.0.1"
                + " -Dcom.sun.management.jmxremote.authenticate=false"
                + " -Dcom.sun.management.jmxremote.ssl=false"));

    service.await("an answer over JMX", () -> otherPorts().stream().anyMatch(this::tellsByJmx));
    service.askToEnd();
    assertThat(service.awaitEnd(PATIENCE)).as(said("err")).isZero();
    assertThat(recorded).isNotEmptyFile();
  }

  // The address of JMX goes through JNDI, and the port is the test's own.
  @SuppressWarnings("BanJNDI")
  private boolean tellsByJmx(int port) {
    try (JMXConnector connector =
        JMXConnectorFactory.connect(
            new JMXServiceURL("service:jmx:rmi:///jndi/rmi://127.0.0.1:" + port + "/jmxrmi"))) {
      return connector
          .getMBeanServerConnection()
          .isRegistered(new ObjectName("java.lang:type=Runtime"));
    } catch (IOException | JMException e) {
      return false;
    }
  }

  /** The ports that the process listens on, without that of the API. */
  private Set<Integer> otherPorts() throws Exception {
    Path process = Path.of("/proc", Long.toString(service.process().pid()));
    Set<String> sockets = new HashSet<>();
    try (Stream<Path> open = Files.list(process.resolve("fd"))) {
      for (Path each : open.toList()) {
        try {
          sockets.add(Files.readSymbolicLink(each).toString());
        } catch (NoSuchFileException e) {
          // Closed since.
        }
      }
    }
    Set<Integer> ports = new TreeSet<>();
    for (String family : List.of("net/tcp", "net/tcp6")) {
      for (String line : Files.readAllLines(process.resolve(family))) {
        String[] words = line.strip().split(" +", -1);
        if (words[3].equals("0A") && sockets.contains("socket:[" + words[9] + "]")) {
          ports.add(Integer.parseInt(words[1].substring(words[1].indexOf(':') + 1), 16));
        }
      }
    }
    ports.remove(URI.create(url).getPort());
    return ports;
  }

  private boolean isExporter(int port) {
    try {
      return get("http://127.0.0.1:" + port + "/metrics").contains("jmx_scrape_duration_seconds");
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private void serve(Map<String, String> environment) throws Exception {
    service =
        installation.start(
            installation.file("reprise"),
            output("out"),
            output("err"),
            environment,
            "serve",
            "--data",
            folder.resolve("data").toString(),
            "--port",
            "0");
    service.await("its banner", () -> said("out").contains("started in"));
    Matcher found = URL.matcher(said("out"));
    assertThat(found.find()).as(said("out")).isTrue();
    url = found.group(1);
    service.await("it to be ready", () -> get(url + "/health/ready").contains("\"ready\""));
  }

  private String get(String address) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(URI.create(address)).timeout(PATIENCE).build();
    return client.send(request, BodyHandlers.ofString()).body();
  }

  private static Path jar(String agent) throws Exception {
    return Path.of(
        Class.forName(agent, false, AgentsTest.class.getClassLoader())
            .getProtectionDomain()
            .getCodeSource()
            .getLocation()
            .toURI());
  }

  private Path output(String stream) {
    return folder.resolve("service-" + stream);
  }

  private String said(String stream) throws Exception {
    return Files.readString(output(stream), UTF_8);
  }
}
