package dev.reprise.delivery.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.address.AddressGuard;
import dev.reprise.delivery.carrier.CarrierTypes;
import dev.reprise.delivery.catalog.CarrierDefinition;
import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.http.HttpAttempt;
import dev.reprise.delivery.http.HttpOutcome;
import dev.reprise.delivery.http.HttpSender;
import dev.reprise.delivery.secret.SecretKeys;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.delivery.store.RocksStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** The window of a carrier that several processes use. */
class CarrierPartTest {
  private static final String NAME = "smsc";
  private static final AttemptOutcome DELIVERED =
      new AttemptOutcome(null, 200, "200", "", new byte[0], 1);

  @TempDir Path folder;
  private final List<AttemptOutcome> outcomes = new ArrayList<>();
  private final AtomicInteger part = new AtomicInteger(2);
  private RocksStore store;
  private Carriers carriers;

  private static final class NoHttp implements HttpSender {
    @Override
    public void send(HttpAttempt attempt, Consumer<HttpOutcome> done) {
      throw new AssertionError("nothing is sent");
    }

    @Override
    public void close() {}
  }

  @BeforeEach
  void open() {
    store = RocksStore.open(folder, RocksSettings.defaults().withReserveBytes(0));
    Catalog catalog = new Catalog(store.view(0));
    catalog.putCarrier(
        new CarrierDefinition(NAME, "scripted", 5, 0, JsonMapper.shared().createObjectNode(), 0),
        null);
    carriers =
        new Carriers(
            catalog,
            new CarrierTypes(List.of()),
            SecretKeys.NONE,
            new NoHttp(),
            AddressGuard.globalOnly());
    carriers.start(Carriers.Events.NONE);
    carriers.shareBy(limit -> part.get());
  }

  @AfterEach
  void close() {
    carriers.close();
    store.close();
  }

  @Test
  void noMoreAreUnderWayThanThePartOfThisProcess() {
    Consumer<AttemptOutcome> first = carriers.begin(NAME, outcomes::add);
    assertThat(first).isNotNull();
    assertThat(carriers.begin(NAME, outcomes::add)).isNotNull();

    assertThat(carriers.begin(NAME, outcomes::add)).isNull();

    assertThat(outcomes).hasSize(1);
    assertThat(outcomes.get(0).made()).isFalse();
    assertThat(outcomes.get(0).summary())
        .isEqualTo("2 attempts are under way, this node's part of 5");
    first.accept(DELIVERED);
    assertThat(carriers.begin(NAME, outcomes::add)).isNotNull();
    assertThat(outcomes).last().isEqualTo(DELIVERED);
  }

  @Test
  void whoeverHasAllShardsHasTheWholeWindow() {
    part.set(5);
    Consumer<AttemptOutcome> done = outcomes::add;

    assertThat(carriers.begin(NAME, done)).isSameAs(done);
  }
}
