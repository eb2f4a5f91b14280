package dev.reprise.server.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.fixtures.Await;
import dev.reprise.fixtures.Prometheus;
import dev.reprise.server.fixture.Dashboard;
import dev.reprise.server.fixture.RunningService;
import dev.reprise.server.fixture.ScriptedEndpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Alerts and dashboard, in a real Prometheus. */
@Tag("slow")
class PrometheusTest {
  private static final Path ALERTS = Path.of("grafana", "alerts.yml");

  @TempDir Path folder;

  @Test
  void theAlertsAreWhatTheirCasesExpect() throws Exception {
    Files.copy(ALERTS, folder.resolve("alerts.yml"));
    Files.copy(
        Path.of("src", "test", "resources", "prometheus", "alerts-test.yml"),
        folder.resolve("alerts-test.yml"));
    assertThat(Prometheus.tool(folder, "check", "rules", "alerts.yml")).contains("SUCCESS");
    assertThat(Prometheus.tool(folder, "test", "rules", "alerts-test.yml")).contains("SUCCESS");
  }

  @Test
  void aBurstRightAfterTheStartFires() throws Exception {
    Files.copy(ALERTS, folder.resolve("alerts.yml"));
    try (ScriptedEndpoint gone = new ScriptedEndpoint().always(404);
        RunningService api = RunningService.dev(folder.resolve("data"))) {
      String id = api.subscribe("t", "{\"endpoint\":\"" + gone.url() + "\"}");
      for (int i = 0; i < 20; i++) {
        api.publish("t", "{\"body\":" + i + "}");
      }
      api.await("/v1/subscriptions/" + id, s -> s.at("/ledger/deadLettered").asInt() == 20);
      try (Prometheus prometheus = Prometheus.start(folder, configuration(api.service.port()))) {
        String alert =
            Await.value(
                "the alert",
                prometheus::alerts,
                alerts -> alerts.contains("\"firing\"") && alerts.contains(id));
        assertThat(alert).contains("RepriseDeliveriesGivenUp");
        everyExpressionHasASeries(prometheus);
      }
    }
  }

  /** Of a service that is no node of a cluster, and has no carrier. */
  private static void everyExpressionHasASeries(Prometheus prometheus) throws Exception {
    for (JsonNode panel : new Dashboard(Path.of("grafana", "reprise.json")).panels()) {
      for (JsonNode target : panel.get("targets")) {
        String expression =
            target
                .get("expr")
                .asString()
                .replace("$job", ".*")
                .replace("$instance", ".*")
                .replace("$__rate_interval", "1m");
        if (expression.contains("reprise_cluster_")
            || expression.matches("(max|sum) by \\(carrier.*")) {
          continue;
        }
        Await.value(
            expression,
            () -> prometheus.query(expression),
            answer -> !JsonMapper.shared().readTree(answer).at("/data/result").isEmpty());
      }
    }
  }

  /** The configuration that the page shows, at a short interval. */
  private static String configuration(int port) throws IOException {
    String page = Files.readString(Path.of("OPERATING.md"));
    int begin = page.indexOf("```yaml\nglobal:") + "```yaml\n".length();
    String shown = page.substring(begin, page.indexOf("```", begin));
    assertThat(shown).contains("interval: 15s", "127.0.0.1:8080");
    // It is the scrape's time-out as well: the first scrape must not fail, for it has the zeros.
    return shown.replace("interval: 15s", "interval: 5s").replace(":8080", ":" + port);
  }
}
