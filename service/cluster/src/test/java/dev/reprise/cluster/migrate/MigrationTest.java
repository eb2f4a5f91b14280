package dev.reprise.cluster.migrate;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cluster.SharedBroker;
import dev.reprise.cluster.TestNode;
import dev.reprise.cluster.base.ClusterException;
import dev.reprise.cluster.base.ClusterSettings;
import dev.reprise.cluster.base.KafkaClients;
import dev.reprise.cluster.broker.Brokers;
import dev.reprise.cluster.log.Topics;
import dev.reprise.core.RetrySafety;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.catalog.CarrierDefinition;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.delivery.engine.PublishReceipt;
import dev.reprise.delivery.host.EngineSettings;
import dev.reprise.delivery.host.FolderMarks;
import dev.reprise.delivery.shard.PayloadRecord;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.delivery.store.StoreException;
import dev.reprise.fixtures.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** A data folder that is moved into a cluster, and served by a node there. */
@Tag("slow")
class MigrationTest {
  private static final AtomicInteger CLUSTERS = new AtomicInteger();
  private static final Migration.Progress QUIET = (step, part, parts, bytes) -> {};
  private static final int SHARDS = 3;
  private static final int API_KEYS = RocksStore.MAX_VIEW;
  private static final byte[] NO_RESPONSE = {};

  private static Brokers brokers;

  @TempDir Path temp;
  private Path folder;
  private String prefix;

  /** The message that was published with an idempotency key. */
  private MessageId keyed;

  /** How often each message has arrived, by its body. */
  private final Map<String, AtomicInteger> arrived = new ConcurrentHashMap<>();

  @BeforeAll
  static void findBroker() throws Exception {
    brokers = SharedBroker.get();
  }

  @BeforeEach
  void newCluster() {
    prefix = "m" + CLUSTERS.incrementAndGet();
    folder = temp.resolve("data");
  }

  // --- the folder --------------------------------------------------------------------------

  private static DeliveryEngine embedded(Path folder, Function<String, AttemptOutcome> endpoint) {
    EngineSettings settings =
        new EngineSettings(
            folder,
            SHARDS,
            ShardSettings.DEFAULT,
            RocksSettings.defaults().withReserveBytes(0).withoutSync(),
            Duration.ofSeconds(10));
    return DeliveryEngine.open(
        settings,
        catalog ->
            (claim, done) ->
                done.accept(
                    endpoint.apply(
                        new String(PayloadRecord.decode(claim.payload()).body(), UTF_8))));
  }

  private static PublishReceipt publish(
      DeliveryEngine engine, String topic, String body, String key) {
    return engine
        .publish(
            topic,
            new Payload("text/plain", NO_RESPONSE, body.getBytes(UTF_8)),
            JsonMapper.shared().createObjectNode(),
            key)
        .toCompletableFuture()
        .orTimeout(300, TimeUnit.SECONDS)
        .join();
  }

  private static SubscriptionSettings suspended() {
    SubscriptionSettings usual = SubscriptionSettings.of("http://192.0.2.9/held");
    return new SubscriptionSettings(
        usual.protocol(),
        usual.endpoint(),
        usual.carrier(),
        usual.format(),
        usual.policy(),
        usual.filter(),
        usual.deadLetters(),
        usual.lifetime(),
        usual.maxInFlight(),
        usual.http(),
        usual.deadLetterTarget(),
        true,
        usual.suspendWhenGone());
  }

  private static AttemptOutcome unavailable() {
    return new AttemptOutcome(
        () -> RetrySafety.YES, 503, "503", "192.0.2.1", NO_RESPONSE, 1_000_000);
  }

  private static AttemptOutcome before(String body) {
    return body.startsWith("refused")
        ? TestNode.refused()
        : body.startsWith("later") ? unavailable() : TestNode.delivered();
  }

  /**
   * Makes a folder with seven subscriptions and, for six of them, a delivered message, ten that
   * were tried in vain, one of them with an idempotency key, and a dead letter.
   */
  private Ledger fill(Path data) {
    try (DeliveryEngine engine = embedded(data, MigrationTest::before)) {
      engine.addTopic("orders");
      engine.addTopic("held");
      for (int i = 0; i < 6; i++) {
        engine.subscribe("orders", SubscriptionSettings.of("http://192.0.2.1/" + i));
      }
      engine.subscribe("held", suspended());
      engine
          .catalog()
          .putCarrier(
              new CarrierDefinition(
                  "mail", "test", 2, 0, JsonMapper.shared().createObjectNode(), 1),
              null);
      Batch key = new Batch();
      key.put(new byte[] {'k'}, "an API key".getBytes(UTF_8));
      engine.view(API_KEYS).write(key);
      publish(engine, "orders", "soon", null);
      publish(engine, "orders", "refused", null);
      keyed = publish(engine, "orders", "later", "order-1").message();
      for (int i = 1; i < 10; i++) {
        publish(engine, "orders", "later " + i, null);
      }
      publish(engine, "held", "held", null);
      Await.until(
          "each of the attempts",
          () -> engine.ledger().delivered() == 6 && engine.ledger().attempts() >= 72);
      return engine.ledger();
    }
  }

  // --- the cluster -------------------------------------------------------------------------

  private ClusterSettings cluster() {
    ClusterSettings usual = ClusterSettings.of(brokers.bootstrap(), "migration", "");
    return new ClusterSettings(
        usual.brokers(),
        prefix,
        usual.node(),
        usual.url(),
        usual.clients(),
        usual.shards(),
        (short) 1,
        usual.followers(),
        usual.session(),
        usual.lease());
  }

  private Migration.Report migrate(Path data) throws InterruptedException {
    return Migration.run(data, cluster(), QUIET);
  }

  private TestNode node(String name) {
    return new TestNode(
        brokers,
        prefix,
        name,
        temp.resolve(name),
        body -> {
          arrived.computeIfAbsent(body, key -> new AtomicInteger()).incrementAndGet();
          return TestNode.delivered();
        });
  }

  /** Serves the cluster until everything has been delivered that was pending. */
  private void deliverAll(Ledger moved) {
    try (TestNode node = node("one")) {
      Await.until("all shards", () -> node.owned() == SHARDS);
      DeliveryEngine engine = node.engine;
      assertThat(engine.ledger().accepted()).isEqualTo(moved.accepted());

      assertThat(publish(engine, "orders", "later", "order-1").message()).isEqualTo(keyed);
      Await.until("what was tried in vain", () -> engine.ledger().pending() == 1);
      assertThat(engine.ledger().deadLettered()).isEqualTo(6);
      assertThat(engine.ledger().delivered()).isEqualTo(66);
      assertThat(arrived).hasSize(10).doesNotContainKeys("soon", "refused", "held");
      assertThat(arrived.values()).allMatch(times -> times.get() == 6);

      Subscription held = engine.catalog().topic("held").subscriptions().get(0);
      engine.backlog(held).release().toCompletableFuture().join();
      Await.until("what was held", () -> engine.ledger().pending() == 0);
      assertThat(engine.ledger().unexplained()).isZero();
      assertThat(engine.readers()).allMatch(reader -> reader.audit().agrees());
      assertThat(engine.catalog().carriers()).hasSize(1);
      assertThat(engine.view(API_KEYS).get(new byte[] {'k'}))
          .isEqualTo("an API key".getBytes(UTF_8));

      // The numbers of subscriptions go on.
      assertThat(engine.subscribe("orders", SubscriptionSettings.of("http://192.0.2.1/6")).id())
          .isEqualTo("orders-8");
    }
  }

  @Test
  void a_node_delivers_all_that_the_folder_had() throws Exception {
    Ledger moved = fill(folder);

    Migration.Report report = migrate(folder);

    assertThat(report.cluster().name()).isEqualTo(prefix);
    assertThat(report.before()).isFalse();
    assertThat(report.shards()).isEqualTo(SHARDS);
    assertThat(report.topics()).isEqualTo(2);
    assertThat(report.subscriptions()).isEqualTo(7);
    assertThat(report.ledger()).isEqualTo(moved);
    assertThat(report.records()).isGreaterThan(100);
    assertThat(report.copiedBytes()).isEqualTo(report.bytes());
    deliverAll(moved);
    assertThatThrownBy(() -> embedded(folder, MigrationTest::before))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("was migrated into cluster '" + prefix + "'")
        .hasMessageContaining("would be delivered twice");

    Migration.Report again = migrate(folder);

    assertThat(again.before()).isTrue();
    assertThat(again.ledger()).isEqualTo(moved);
  }

  @Test
  void nodes_may_be_at_work_before_the_folder_says_so() throws Exception {
    fill(folder);
    FolderMarks.Cluster into = migrate(folder).cluster();
    FolderMarks.Migration complete = Objects.requireNonNull(FolderMarks.migration(folder));
    try (TestNode node = node("one")) {
      Await.until("all shards", () -> node.owned() == SHARDS);
      Await.until("what was pending", () -> node.engine.ledger().pending() == 1);
    }
    FolderMarks.note(folder, new FolderMarks.Migration(into, complete.id(), false));

    assertThat(migrate(folder).before()).isTrue();

    assertThat(FolderMarks.migration(folder)).isEqualTo(complete);
    assertThatThrownBy(() -> embedded(folder, MigrationTest::before))
        .hasMessageContaining("was migrated into cluster '" + prefix + "'");
  }

  /** Ends in the middle of a step and at its end, and goes on there when it is run again. */
  @Test
  void a_migration_that_is_broken_off_goes_on() throws Exception {
    Ledger moved = fill(folder);
    Queue<String> ends =
        new ArrayDeque<>(List.of("copied0", "copied2", "copied" + (SHARDS + 1), "compared1"));
    Migration.Report report = null;
    while (report == null) {
      try {
        report =
            Migration.run(
                folder,
                cluster(),
                (step, part, parts, bytes) -> {
                  if ((step + part).equals(ends.peek())) {
                    ends.remove();
                    throw new CancellationException();
                  }
                });
      } catch (CancellationException e) {
        assertThatThrownBy(() -> node("early").close())
            .isInstanceOf(ClusterException.class)
            .hasMessageContaining("has not ended")
            .hasMessageContaining("./reprise migrate");
        assertThatThrownBy(() -> embedded(folder, MigrationTest::before))
            .isInstanceOf(StoreException.class)
            .hasMessageContaining("was begun and has not ended");
      }
    }

    assertThat(ends).isEmpty();
    assertThat(report.copiedBytes()).isZero();
    assertThat(report.bytes()).isGreaterThan(10_000);
    deliverAll(moved);
  }

  @Test
  void only_a_new_cluster_with_as_many_shards_takes_a_folder() throws Exception {
    fill(folder);
    try (TestNode node = node("one")) {
      Await.until("all shards", () -> node.owned() == TestNode.SHARDS);
    }

    assertThatThrownBy(() -> migrate(folder))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("cluster '%s' has 4 shards, and data folder %s has 3", prefix, folder)
        .hasMessageContaining("--cluster-name");

    prefix = "m" + CLUSTERS.incrementAndGet();
    migrate(folder);
    Path other = temp.resolve("other");
    fill(other);

    assertThatThrownBy(() -> migrate(other))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("cluster '%s' is not empty", prefix)
        .hasMessageContaining("another data folder");

    TestNode node = node("two");
    Await.until("all shards", () -> node.owned() == SHARDS);
    assertThatThrownBy(() -> migrate(other)).hasMessageContaining("1 node is at work");
    node.close();

    prefix = "m" + CLUSTERS.incrementAndGet();
    assertThatThrownBy(() -> migrate(folder))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("was completed, and this is cluster '%s'", prefix);
    // What was refused is served as before.
    embedded(other, MigrationTest::before).close();
  }

  @Test
  void a_folder_of_topics_that_were_deleted_is_refused() throws Exception {
    try (TestNode node = node("one")) {
      Await.until("all shards", () -> node.owned() == TestNode.SHARDS);
    }
    try (Admin admin = new KafkaClients(cluster()).admin()) {
      admin.deleteTopics(new Topics(prefix).names()).all().get();
      Await.until(
          "the topics to go",
          () ->
              admin.listTopics().names().toCompletionStage().toCompletableFuture().join().stream()
                  .noneMatch(name -> name.startsWith(prefix + ".")));
    }

    assertThatThrownBy(() -> node("one").close())
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("all are missing, and data folder")
        .hasMessageContaining("empty the folder");
  }
}
