package dev.reprise.server.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.server.fixture.Dashboard;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ClusterSeriesTest {
  @Test
  void allSeriesAreThereBeforeTheNodeOwnsAShard() throws Exception {
    try (Metrics metrics = new Metrics(0, Duration.ZERO, () -> 0)) {
      metrics.watch(new FreshNode());
      // Meters have what they are about by weak references.
      System.gc();
      new Dashboard(Path.of("grafana", "reprise.json")).requireMetrics(metrics.text(), true);
      assertThat(metrics.text())
          .contains(
              "reprise_cluster_shards_standing 0.0",
              "reprise_cluster_intake_lost{kafka_topic=\"reprise.in\"} 0.0",
              "reprise_cluster_intake_lost{kafka_topic=\"reprise.open\"} 0.0",
              "reprise_cluster_shards_owned{state=\"running\"} 0.0",
              "reprise_cluster_records_refused_total 0.0")
          .doesNotContain("NaN");
    }
  }
}
