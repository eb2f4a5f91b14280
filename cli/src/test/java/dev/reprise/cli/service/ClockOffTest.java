package dev.reprise.cli.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cli.CommandRun;
import dev.reprise.cli.DevService;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.delivery.host.DataFolder;
import dev.reprise.delivery.host.EngineSettings;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.policy.NotificationPolicy;
import dev.reprise.policy.Presets;
import dev.reprise.server.serve.Service;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;

/** A service whose folder has seen a clock that was ahead: what is said of it, and where. */
@Tag("slow")
class ClockOffTest {
  private static final long AHEAD_MILLIS = 20 * 60 * 1000;

  @TempDir private Path folder;

  @Test
  void probeOverviewMetricsAndCommandSayTheSame() throws Exception {
    EngineSettings settings =
        new EngineSettings(
            folder, 1, ShardSettings.DEFAULT, RocksSettings.defaults(), Duration.ZERO);
    DataFolder ahead =
        DataFolder.open(settings, false, () -> System.currentTimeMillis() + AHEAD_MILLIS);
    try (DeliveryEngine engine = DeliveryEngine.started(ahead, (attempt, done) -> {})) {
      engine.putTopic("orders", NotificationPolicy.of(Presets.get("no-retry")));
      engine.subscribe("orders", SubscriptionSettings.of("http://192.0.2.1/hook"));
      Payload payload = new Payload("text/plain", new byte[0], new byte[1]);
      engine
          .publish("orders", payload, JsonNodeFactory.instance.objectNode(), null)
          .toCompletableFuture()
          .get(5, TimeUnit.MINUTES);
    }

    try (Service service = DevService.start(folder)) {
      JsonNode probe = json(service, "/health/ready");
      assertThat(probe.path("status").asString()).isEqualTo("ready");
      assertThat(probe.path("clock").asString()).contains("s ahead of the system's, for ");

      JsonNode clock = json(service, "/v1/overview").path("clocks").path(0);
      assertThat(clock.path("aheadMillis").asLong()).isBetween(1_000L, AHEAD_MILLIS);
      assertThat(clock.path("text").asString()).contains("s ahead of the system's, for ");
      assertThat(clock.has("node")).isFalse();

      assertThat(text(service, "/metrics"))
          .containsPattern("(?m)^reprise_clock_off_seconds [1-9][0-9]{2,}\\.");

      CommandRun.Result health =
          new CommandRun().with("REPRISE_URL", service.baseUrl()).execute("health");
      assertThat(health.exitCode()).isZero();
      assertThat(health.err()).contains("s ahead of the system's, for ");
    }
  }

  private static JsonNode json(Service service, String path) throws Exception {
    return new JsonMapper().readTree(text(service, path));
  }

  private static String text(Service service, String path) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create(service.baseUrl() + path)).build(),
            BodyHandlers.ofString())
        .body();
  }
}
