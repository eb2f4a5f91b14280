package dev.reprise.server.watch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.reprise.delivery.carrier.CarrierState;
import dev.reprise.fixtures.Await;
import dev.reprise.fixtures.Prometheus;
import dev.reprise.server.fixture.Dashboard;
import dev.reprise.server.fixture.RunningService;
import dev.reprise.server.fixture.ScriptedEndpoint;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Alerts and dashboard, in a real Prometheus. */
@Tag("slow")
class PrometheusTest {
  private static final Path ALERTS = Path.of("grafana", "alerts.yml");
  private static final Path CASES =
      Path.of("src", "test", "resources", "prometheus", "alerts-test.yml");

  @TempDir Path folder;

  @Test
  void theAlertsAreWhatTheirCasesExpect() throws Exception {
    Files.copy(ALERTS, folder.resolve("alerts.yml"));
    Files.copy(CASES, folder.resolve("alerts-test.yml"));
    assertThat(Prometheus.tool(folder, "check", "rules", "alerts.yml")).contains("SUCCESS");
    assertThat(Prometheus.tool(folder, "test", "rules", "alerts-test.yml")).contains("SUCCESS");
  }

  @Test
  void everyAlertHasCasesInWhichItFiresAndDoesNot() throws Exception {
    List<String> alerts = found("- alert: (\\w+)", ALERTS);
    assertThat(alerts).hasSizeGreaterThan(5).doesNotHaveDuplicates();
    assertThat(found("alertname: (\\w+)\n +exp_alerts:", CASES)).containsAll(alerts);
    assertThat(found("alertname: (\\w+)\n(?! +exp_alerts:)", CASES)).containsAll(alerts);
  }

  private static List<String> found(String pattern, Path file) throws IOException {
    return Pattern.compile(pattern)
        .matcher(Files.readString(file))
        .results()
        .map(result -> result.group(1))
        .toList();
  }

  @Test
  void aBurstRightAfterTheStartFires() throws Exception {
    Files.copy(ALERTS, folder.resolve("alerts.yml"));
    try (ScriptedEndpoint gone = new ScriptedEndpoint().always(404);
        RunningService api = RunningService.dev(folder.resolve("data"));
        Metrics ofNode = new Metrics(0, Duration.ZERO, System::nanoTime)) {
      String id = api.subscribe("t", "{\"endpoint\":\"" + gone.url() + "\"}");
      for (int i = 0; i < 20; i++) {
        api.publish("t", "{\"body\":" + i + "}");
      }
      api.await("/v1/subscriptions/" + id, s -> s.at("/ledger/deadLettered").asInt() == 20);
      ofNode.watch(new FreshNode());
      ofNode.carriers(Map.of("smsc", new CarrierState(null, 0, 0, 0)));
      HttpServer node = serve(ofNode);
      try (Prometheus prometheus =
          Prometheus.start(
              folder, configuration(api.service.port(), node.getAddress().getPort()))) {
        String alert =
            Await.value(
                "the alert",
                prometheus::alerts,
                alerts -> alerts.contains("\"firing\"") && alerts.contains(id));
        assertThat(alert).contains("RepriseDeliveriesGivenUp");
        everyExpressionHasASeries(prometheus);
      } finally {
        node.stop(0);
      }
    }
  }

  /** The series of a node that has just joined, and of a carrier, without brokers. */
  private static HttpServer serve(Metrics metrics) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/metrics",
        exchange -> {
          byte[] text = metrics.text().getBytes(UTF_8);
          exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4");
          exchange.sendResponseHeaders(200, text.length);
          exchange.getResponseBody().write(text);
          exchange.close();
        });
    server.start();
    return server;
  }

  /** All that the dashboard and the alerts ask for, before any failure but the burst. */
  private static void everyExpressionHasASeries(Prometheus prometheus) throws Exception {
    List<String> expressions = new ArrayList<>();
    for (String each : found("expr: (.*)", ALERTS)) {
      // What is left when it is not compared: an alert that does not fire has no series.
      expressions.add(each.replaceFirst(" (>|==) 0$", ""));
    }
    for (JsonNode panel : new Dashboard(Path.of("grafana", "reprise.json")).panels()) {
      for (JsonNode target : panel.get("targets")) {
        expressions.add(
            target
                .get("expr")
                .asString()
                .replace("$job", ".*")
                .replace("$instance", ".*")
                .replace("$__rate_interval", "1m"));
      }
    }
    for (String expression : expressions) {
      Await.value(
          expression,
          () -> prometheus.query(expression),
          answer -> !JsonMapper.shared().readTree(answer).at("/data/result").isEmpty());
    }
  }

  /** The configuration that the page shows, at a short interval, for two targets. */
  private static String configuration(int port, int portOfNode) throws IOException {
    String page = Files.readString(Path.of("OPERATING.md"));
    int begin = page.indexOf("```yaml\nglobal:") + "```yaml\n".length();
    String shown = page.substring(begin, page.indexOf("```", begin));
    assertThat(shown).contains("interval: 15s", "'127.0.0.1:8080'");
    // It is the scrape's time-out as well: the first scrape must not fail, for it has the zeros.
    return shown
        .replace("interval: 15s", "interval: 5s")
        .replace("'127.0.0.1:8080'", "'127.0.0.1:" + port + "', '127.0.0.1:" + portOfNode + "'");
  }
}
