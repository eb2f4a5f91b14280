package dev.reprise.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.delivery.host.EngineSettings;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.server.fixture.RunningService;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Subscriptions that an upgrade holds, because their host name is read otherwise than before. */
class HeldNamesTest {
  @TempDir private Path folder;

  private String stored(String endpoint) {
    EngineSettings settings =
        new EngineSettings(
            folder, 2, ShardSettings.DEFAULT, RocksSettings.defaults(), Duration.ZERO);
    try (DeliveryEngine engine = DeliveryEngine.open(settings, catalog -> (claim, done) -> {})) {
      engine.addTopic("orders");
      return engine
          .subscribe("orders", SubscriptionSettings.of(endpoint).withNamesByUts46(false))
          .id();
    }
  }

  @Test
  void aReleaseConfirmsTheNewName() {
    String path = "/v1/subscriptions/" + stored("http://faß.de/hook");
    try (RunningService api = RunningService.dev(folder)) {
      assertThat(api.get(path).json().at("/suspended/reason").asString())
          .contains("was sent to as fass.de", "is xn--fa-hia.de");
      assertThat(api.post(path + "/release", "{}").status()).isEqualTo(200);
    }
    try (RunningService api = RunningService.dev(folder)) {
      assertThat(api.get(path).json().has("suspended")).isFalse();
    }
  }

  @Test
  void aNameThatIsNoneAnyMoreMustBeChanged() {
    String path = "/v1/subscriptions/" + stored("http://\u200cb.de/hook");
    try (RunningService api = RunningService.dev(folder)) {
      RunningService.Reply refused = api.post(path + "/release", "{}");
      assertThat(refused.status()).isEqualTo(409);
      assertThat(refused.json().toString()).contains("change the endpoint");
      assertThat(api.get(path).json().has("suspended")).isTrue();
    }
  }
}
