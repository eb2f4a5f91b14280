package dev.reprise.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.fixtures.StartedProcess;
import dev.reprise.server.serve.StartException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node and its broker in one process, which is killed. */
@Tag("slow")
class EmbeddedClusterTest {
  @TempDir Path temp;

  @Test
  void has_after_a_kill_what_it_had_accepted_and_tells_no_details() throws Exception {
    Path data = temp.resolve("data");
    Path log = temp.resolve("stderr");
    try (ServiceProcess service =
        new ServiceProcess(
            data,
            log,
            StartedProcess.quick("-Xmx512m"),
            List.of("--cluster", "embedded", "--shards", "2"))) {
      service.start(Map.of());
      String ports = Files.readString(data.resolve("broker").resolve("ports"));
      service.send("PUT", "/v1/topics/orders", "");
      for (int i = 0; i < 3; i++) {
        service.send(
            "POST",
            "/v1/topics/orders/subscriptions",
            "{\"endpoint\":\"http://127.0.0.1:9/hook\",\"startSuspended\":true}");
      }
      service.send("POST", "/v1/topics/orders/messages", "{\"body\":1}");
      service.await("three deliveries", () -> pending(service) == 3);
      assertThat(log).content().doesNotContain("Kafka", "Broker", "Controller", "\tat ");
      service.kill();

      service.start(Map.of());

      service.await("three deliveries", () -> pending(service) == 3);
      assertThat(service.get("/v1/ledger?verify=true").at("/verified/agrees").asBoolean()).isTrue();
      assertThat(data.resolve("broker").resolve("ports")).hasContent(ports.strip());
      assertThat(log).content().doesNotContain("\tat ");
      service.kill();
    }

    assertThatThrownBy(() -> DevService.start(data).close())
        .isInstanceOf(StartException.class)
        .hasMessageContaining("belongs to node 'embedded' of cluster 'reprise'")
        .hasMessageContaining("start it with --cluster");
  }

  /** Returns how many deliveries wait; less than 0 as long as a shard has no owner. */
  private static int pending(ServiceProcess service) throws Exception {
    return service.status("/v1/ledger") == 200
        ? service.get("/v1/ledger").at("/total/pending").intValue()
        : -1;
  }
}
