package dev.reprise.delivery.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.Attempt;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.EndpointHealth.GroupHold;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.ReceiptCounts;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.carrier.CarrierFailure;
import dev.reprise.delivery.carrier.Receipt;
import dev.reprise.delivery.catalog.CarrierDefinition;
import dev.reprise.delivery.catalog.CatalogDocuments;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.host.EngineSettings;
import dev.reprise.delivery.secret.SecretKeys;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.policy.NotificationPolicy;
import dev.reprise.policy.Presets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Hosts and carriers as the engine knows them, which spreads subscriptions over shards. */
class EngineGroupsTest {
  private static final String CARRIER = "smsc";

  private record Started(Attempt claim, Consumer<AttemptOutcome> done) {}

  @TempDir Path folder;
  private final BlockingQueue<Started> started = new LinkedBlockingQueue<>();
  private DeliveryEngine engine;

  @BeforeEach
  void open() {
    EngineSettings settings =
        new EngineSettings(
            folder,
            3,
            ShardSettings.DEFAULT,
            RocksSettings.defaults().withReserveBytes(0),
            Duration.ZERO);
    engine =
        DeliveryEngine.open(
            settings, catalog -> (claim, done) -> started.add(new Started(claim, done)));
    engine.putTopic("orders", NotificationPolicy.of(Presets.get("no-retry")));
    engine.catalog().putCarrier(carrier(1000), null);
  }

  private static CarrierDefinition carrier(int maxInFlight) {
    JsonNode settings = JsonMapper.shared().createObjectNode();
    return new CarrierDefinition(CARRIER, "scripted", maxInFlight, 0, settings, 0);
  }

  @AfterEach
  void close() {
    engine.close();
  }

  private static <T> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(300, TimeUnit.SECONDS).join();
  }

  private Started nextStarted() throws InterruptedException {
    Started next = started.poll(300, TimeUnit.SECONDS);
    assertThat(next).as("an attempt within 60 s").isNotNull();
    return next;
  }

  private Subscription subscribe(String path) {
    return subscribe(path, "");
  }

  private Subscription subscribe(String path, String more) {
    String settings =
        "{\"protocol\":\"sms\",\"carrier\":\"smsc\",\"endpoint\":\"" + path + "\"" + more + "}";
    return engine.subscribe(
        "orders",
        CatalogDocuments.readSettings(
            JsonMapper.shared().readTree(settings), null, SecretKeys.NONE));
  }

  private void publish() {
    Payload payload = new Payload("text/plain", new byte[0], new byte[3]);
    get(engine.publish("orders", payload, JsonMapper.shared().createObjectNode(), null));
  }

  private static AttemptOutcome success(String... receiptIds) {
    return new AttemptOutcome(null, 204, "204 No Content", "", new byte[0], 1)
        .withReceiptIds(List.of(receiptIds));
  }

  @Test
  void aBlockHoldsUntilTheCarrierWorksAgain() throws Exception {
    Subscription subscription = subscribe("hook");
    publish();
    nextStarted().done().accept(AttemptOutcome.givenBack("bind refused", Duration.ofHours(1)));
    GroupHold hold = get(engine.backlog(subscription).health()).groupHold();
    assertThat(hold.group()).isEqualTo("carrier smsc");
    assertThat(hold.reason()).isEqualTo("bind refused");

    engine.recovered(CARRIER);

    assertThat(nextStarted().claim().attempt()).isEqualTo(1);
    assertThat(get(engine.backlog(subscription).health()).groupHold()).isNull();
  }

  /** Lambda has 410 for a file system that cannot be read, and SMPP statuses are no HTTP's. */
  @Test
  void aStatus410OfACarrierSuspendsNothing() throws Exception {
    Subscription subscription = subscribe("hook", ",\"suspendWhenGone\":true");
    publish();
    nextStarted()
        .done()
        .accept(
            new AttemptOutcome(
                CarrierFailure.PERMANENT, 410, "410 EFSIOException", "", new byte[0], 1));

    publish();
    assertThat(nextStarted().claim().attempt()).isEqualTo(1);
    assertThat(engine.reader(subscription).held(subscription.number())).isNull();
  }

  @Test
  void aLimitIsSharedOutOverTheShards() throws Exception {
    List<Subscription> subscriptions =
        List.of(
            subscribe("a"),
            subscribe("b"),
            subscribe("c"),
            subscribe("d"),
            subscribe("e"),
            subscribe("f"),
            subscribe("g"),
            subscribe("h"),
            subscribe("i"));
    engine.limited(carrier(4));
    publish();
    for (int i = 0; i < 4; i++) {
      nextStarted();
    }
    subscriptions.forEach(subscription -> get(engine.backlog(subscription).health()));
    assertThat(started).isEmpty();

    engine.limited(carrier(1000));

    for (int i = 0; i < 5; i++) {
      nextStarted();
    }
  }

  @Test
  void aReceiptFindsItsShard() throws Exception {
    for (String path : List.of("a", "b", "c")) {
      Subscription subscription = subscribe(path);
      publish();
      String id = "id of " + path;
      Started attempt;
      do {
        attempt = nextStarted();
        boolean wanted = attempt.claim().subscription() == subscription.number();
        attempt.done().accept(wanted ? success(id) : success());
      } while (attempt.claim().subscription() != subscription.number());

      assertThat(get(engine.received(CARRIER, new Receipt(id, false, 11, "UNDELIV")))).isTrue();
      assertThat(get(engine.received(CARRIER, new Receipt(id, false, 11, "UNDELIV")))).isFalse();
      assertThat(engine.reader(subscription).receipts(subscription.number()))
          .isEqualTo(new ReceiptCounts(0, 1));
    }
  }
}
