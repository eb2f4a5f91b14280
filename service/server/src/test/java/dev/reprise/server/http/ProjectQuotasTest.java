package dev.reprise.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.reprise.delivery.Payload;
import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.delivery.store.RocksStore;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("slow")
class ProjectQuotasTest {
  @TempDir Path folder;
  private final AtomicLong clock = new AtomicLong();
  private RocksStore rocks;
  private Catalog catalog;

  @BeforeEach
  void open() {
    rocks = RocksStore.open(folder, RocksSettings.defaults());
    catalog = new Catalog(rocks.view(0));
  }

  @AfterEach
  void close() {
    rocks.close();
  }

  private Project project(String quotas) {
    ProjectSettings settings =
        ProjectSettings.read(StrictJson.MAPPER.readTree("{\"quotas\":" + quotas + "}"));
    return new Project(catalog.of("shop"), 1, settings, clock::get);
  }

  private static Payload message(int bytes) {
    return new Payload("text/plain", new byte[0], new byte[bytes]);
  }

  @Test
  void refusalNamesTheQuotaAndWhenToTryAgain() {
    Project project = project("{\"publishesPerSecond\":2,\"messageBytes\":10}");
    assertThatExceptionOfType(ApiException.class)
        .isThrownBy(() -> project.admit(message(11)))
        .satisfies(e -> assertThat(e.error().status()).isEqualTo(413))
        .withMessage("quota messageBytes of project 'shop' is 10: the message has 11");
    project.admit(message(10));
    project.admit(message(10));
    assertThatExceptionOfType(ApiException.class)
        .isThrownBy(() -> project.admit(message(1)))
        .satisfies(
            e -> {
              assertThat(e.error().status()).isEqualTo(429);
              assertThat(e.error().code()).isEqualTo("quota_exceeded");
              assertThat(e.error().headers()).containsEntry("Retry-After", "1");
            });
    project.use(ProjectSettings.OF_DEFAULT);
    project.admit(message(1));
  }

  @Test
  void publishingIsRefusedWhileTooMuchIsPending() {
    Project project = project("{\"pendingDeliveries\":5}");
    project.countedPending(5);
    assertThatExceptionOfType(ApiException.class)
        .isThrownBy(() -> project.admit(message(1)))
        .satisfies(e -> assertThat(e.error().status()).isEqualTo(429))
        .withMessageContaining("quota pendingDeliveries of project 'shop' is 5: there are 5");
    project.countedPending(4);
    project.admit(message(1));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"quotas":{"topics":0}}                    | quotas.topics
          {"quotas":{"publishesPerSecond":1000001}}  | quotas.publishesPerSecond
          {"quotas":{"messageBytes":262145}}         | quotas.messageBytes
          {"quotas":{"subscriptions":"5"}}           | quotas.subscriptions
          {"quotas":{"pendingDeliveries":1.5}}       | quotas.pendingDeliveries
          {"quotas":{"keys":1}}                      | quotas.keys
          {"carriers":"*"}                           | carriers
          {"carriers":[1]}                           | carriers
          """)
  void aWrongSettingIsRefusedByName(String settings, String field) {
    assertThatExceptionOfType(ApiException.class)
        .isThrownBy(() -> ProjectSettings.read(StrictJson.MAPPER.readTree(settings)))
        .satisfies(e -> assertThat(e.error().violations().get(0).path()).isEqualTo(field));
  }

  @Test
  void settingsAreReadAsTheyWereWritten() {
    ProjectSettings settings =
        ProjectSettings.read(
            StrictJson.MAPPER.readTree(
                "{\"carriers\":[\"a\"],\"quotas\":{\"topics\":1,\"subscriptions\":2,\"publishesPerSecond\":3,\"pendingDeliveries\":4,\"messageBytes\":5}}"));
    assertThat(ProjectSettings.read(settings.write())).isEqualTo(settings);
    assertThat(settings.mayUse("a")).isTrue();
    assertThat(settings.mayUse("b")).isFalse();
    assertThat(settings.quotas()).isEqualTo(new ProjectQuotas(1, 2, 3, 4, 5));
  }
}
