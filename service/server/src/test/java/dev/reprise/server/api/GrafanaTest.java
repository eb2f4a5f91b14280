package dev.reprise.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.carrier.Receipt;
import dev.reprise.server.ScriptedCarrierType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The dashboard for Grafana shows what the service measures. */
@Tag("slow")
class GrafanaTest {
  private static final Pattern METRIC =
      Pattern.compile("\\b((?:reprise|jvm|process|system)_[a-z0-9_]+)");
  private static final Pattern SERIES = Pattern.compile("^([a-z0-9_]+)(?:\\{(.*)})? ");
  private static final Pattern LABEL = Pattern.compile("([a-z_]+)(?:=~|=)\"");

  private static final String OF_CLUSTERS = "reprise_cluster_";

  @TempDir Path folder;

  private static JsonNode dashboard() throws Exception {
    return JsonMapper.shared().readTree(Files.readString(Path.of("grafana", "reprise.json")));
  }

  private static List<JsonNode> panels(JsonNode dashboard) {
    List<JsonNode> panels = new ArrayList<>();
    for (JsonNode panel : dashboard.get("panels")) {
      if (!panel.get("type").asString().equals("row")) {
        panels.add(panel);
      }
    }
    return panels;
  }

  private static List<String> expressions(JsonNode panel) {
    List<String> expressions = new ArrayList<>();
    panel.get("targets").forEach(target -> expressions.add(target.get("expr").asString()));
    return expressions;
  }

  @Test
  void everyPanelHasAUnitADescriptionAndAPlace() throws Exception {
    Set<String> taken = new HashSet<>();
    Set<Integer> ids = new HashSet<>();
    for (JsonNode panel : panels(dashboard())) {
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
    JsonNode dashboard = dashboard();
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
      RunningService.await(
          () -> api.get("/metrics").text(),
          scrape ->
              scrape.contains("reprise_receipts_total")
                  && scrape.contains("reprise_deliveries_given_up_total")
                  && scrape.contains("jvm_gc_pause_seconds_sum"));
      requireMetrics(api.get("/metrics").text(), false);
    }
  }

  /**
   * Checks that what the dashboard asks for, metrics and labels, is there.
   *
   * @param ofClusters what only a node of a cluster has, or all else
   */
  static void requireMetrics(String scrape, boolean ofClusters) throws Exception {
    Set<String> series = new TreeSet<>();
    Set<String> labels = new TreeSet<>();
    for (String line : scrape.split("\n", -1)) {
      Matcher found = SERIES.matcher(line);
      if (found.find()) {
        series.add(found.group(1));
        Matcher label = LABEL.matcher(String.valueOf(found.group(2)));
        while (label.find()) {
          labels.add(found.group(1) + " " + label.group(1));
        }
      }
    }
    int compared = 0;
    for (JsonNode panel : panels(dashboard())) {
      for (String expression : expressions(panel)) {
        if (expression.contains(OF_CLUSTERS) != ofClusters) {
          continue;
        }
        compared++;
        Matcher metric = METRIC.matcher(expression);
        assertThat(metric.find()).as(expression).isTrue();
        do {
          assertThat(series).as(expression).contains(metric.group(1));
        } while (metric.find());
        Matcher label = Pattern.compile("([a-z0-9_]+)\\{([^}]*)}").matcher(expression);
        while (label.find()) {
          Matcher name = LABEL.matcher(label.group(2));
          while (name.find()) {
            // Prometheus adds these two to what it scrapes.
            if (!Set.of("job", "instance").contains(name.group(1))) {
              assertThat(labels).as(expression).contains(label.group(1) + " " + name.group(1));
            }
          }
        }
      }
    }
    assertThat(compared).isGreaterThan(5);
  }
}
