package dev.reprise.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.carrier.Receipt;
import dev.reprise.fixtures.Await;
import dev.reprise.server.fixture.Dashboard;
import dev.reprise.server.fixture.RunningService;
import dev.reprise.server.fixture.ScriptedCarrierType;
import dev.reprise.server.fixture.ScriptedEndpoint;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The dashboard for Grafana shows what the service measures. */
@Tag("slow")
class GrafanaTest {
  private static final Dashboard DASHBOARD = new Dashboard(Path.of("grafana", "reprise.json"));

  @TempDir Path folder;

  @Test
  void everyPanelHasAUnitADescriptionAndAPlace() throws Exception {
    Set<String> taken = new HashSet<>();
    Set<Integer> ids = new HashSet<>();
    for (JsonNode panel : DASHBOARD.panels()) {
      String title = panel.get("title").asString();
      assertThat(panel.get("description").asString()).as(title).endsWith(".");
      assertThat(panel.at("/fieldConfig/defaults/unit").asString("")).as(title).isNotEmpty();
      assertThat(ids.add(panel.get("id").asInt())).as(title).isTrue();
      JsonNode at = panel.get("gridPos");
      for (int x = 0; x < at.get("w").asInt(); x++) {
        for (int y = 0; y < at.get("h").asInt(); y++) {
          int column = at.get("x").asInt() + x;
          assertThat(column).as(title).isLessThan(24);
          assertThat(taken.add(column + "," + (at.get("y").asInt() + y))).as(title).isTrue();
        }
      }
    }
  }

  @Test
  void noDataSourceIsWrittenDown() throws Exception {
    JsonNode dashboard = DASHBOARD.json();
    for (JsonNode each : dashboard.findValues("datasource")) {
      assertThat(each.get("uid").asString()).isEqualTo("${datasource}");
    }
    assertThat(dashboard.at("/templating/list/0/type").asString()).isEqualTo("datasource");
    assertThat(dashboard.has("__inputs")).isFalse();
  }

  @Test
  void everyMetricIsOneOfARunningService() throws Exception {
    try (ScriptedEndpoint endpoint = new ScriptedEndpoint().then(404, null).always(204);
        RunningService api = RunningService.dev(folder)) {
      String id = api.subscribe("t", "{\"endpoint\":\"" + endpoint.url() + "\"}");
      api.post(
          "/v1/carriers",
          "{\"name\":\"one\",\"type\":\"scripted\",\"settings\":{\"addresses\":[\"192.0.2.1:1\"]}}");
      ScriptedCarrierType.play("one").context.received(new Receipt("unknown", true, 0, "DELIVRD"));
      api.publish("t", "{\"body\":1}");
      api.publish("t", "{\"body\":2}");
      api.await(
          "/v1/subscriptions/" + id,
          each ->
              each.at("/ledger/delivered").asInt() == 1
                  && each.at("/ledger/deadLettered").asInt() == 1);
      System.gc();
      Await.value(
          "the metrics",
          () -> api.get("/metrics").text(),
          scrape ->
              scrape.contains("reprise_receipts_total")
                  && scrape.contains("reprise_deliveries_given_up_total")
                  && scrape.contains("jvm_gc_pause_seconds_sum"));
      DASHBOARD.requireMetrics(api.get("/metrics").text(), false);
    }
  }
}
