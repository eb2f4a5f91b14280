package dev.reprise.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.reprise.cluster.base.BrokerClock;
import dev.reprise.cluster.base.ClusterException;
import dev.reprise.cluster.base.ClusterSettings;
import dev.reprise.cluster.base.ClusterTopic;
import dev.reprise.cluster.base.KafkaClients;
import dev.reprise.cluster.base.RestoreMark;
import dev.reprise.cluster.base.TopicIds;
import dev.reprise.cluster.broker.Brokers;
import dev.reprise.cluster.intake.OpenMessage;
import dev.reprise.cluster.log.KafkaTurnLog;
import dev.reprise.cluster.log.KnownTopics;
import dev.reprise.cluster.log.ShardCopies;
import dev.reprise.cluster.log.TopicLineage;
import dev.reprise.cluster.log.Topics;
import dev.reprise.cluster.migrate.TopicRestore;
import dev.reprise.cluster.ownership.ShardTakeover;
import dev.reprise.core.RetrySafety;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.fixtures.Await;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** Topics that are deleted or made anew, on a real broker: nothing is taken for new over data. */
@Tag("slow")
class TopicLossTest {
  private static final short ONE = 1;
  private static final AtomicInteger CLUSTERS = new AtomicInteger();

  private static Brokers brokers;
  private static Admin admin;

  @TempDir Path folder;
  private volatile boolean endpointIsUp;
  private String prefix;
  private Topics topics;

  @BeforeAll
  static void findBroker() throws Exception {
    brokers = SharedBroker.get();
    admin = Admin.create(Map.of("bootstrap.servers", brokers.bootstrap()));
  }

  @AfterAll
  static void closeAdmin() {
    admin.close(Duration.ZERO);
  }

  @BeforeEach
  void name() {
    prefix = "loss" + CLUSTERS.incrementAndGet();
    topics = new Topics(prefix);
  }

  @AfterEach
  void deleteTopics() throws Exception {
    List<String> left = topics.names().stream().filter(names()::contains).toList();
    admin.deleteTopics(left).all().get();
  }

  private TestNode node(String name) {
    return new TestNode(
        brokers,
        prefix,
        name,
        folder.resolve(name),
        body -> endpointIsUp ? TestNode.delivered() : later());
  }

  private static AttemptOutcome later() {
    return new AttemptOutcome(
        () -> RetrySafety.YES, 503, "503", "192.0.2.1", new byte[0], 1_000_000);
  }

  /** Has a topic, a subscription that holds everything, and pending deliveries. */
  private void havePending() throws Exception {
    try (TestNode node = node("one")) {
      Await.until("shards", () -> node.owned() == TestNode.SHARDS);
      node.engine.addTopic("orders");
      for (int i = 0; i < 4; i++) {
        node.engine.subscribe("orders", SubscriptionSettings.of("http://192.0.2.1/" + i));
      }
      node.publish("orders", "a");
      Await.until("deliveries", () -> node.engine.ledger().pending() == 4);
    }
  }

  private void delete(ClusterTopic topic) throws Exception {
    admin.deleteTopics(List.of(topics.name(topic))).all().get();
    Await.until("the end of " + topic, () -> !names().contains(topics.name(topic)));
  }

  /** As a broker does by itself, though with the right settings. */
  private void makeAnew(ClusterTopic topic) throws Exception {
    delete(topic);
    topics.make(admin, topic, TestNode.SHARDS, ONE);
    Await.until("topic " + topic, () -> topics.ids(admin).of(topic) != null);
  }

  private static Collection<String> names() throws Exception {
    return admin.listTopics().names().get();
  }

  @ParameterizedTest
  @EnumSource(ClusterTopic.class)
  void aNodeRefusesATopicThatIsMissingOrWasMadeAnew(ClusterTopic lost) throws Exception {
    havePending();
    String name = topics.name(lost);
    TopicIds before = topics.ids(admin);
    delete(lost);

    assertThatExceptionOfType(ClusterException.class)
        .isThrownBy(() -> ensure(known(before)))
        .withMessageContaining("topic " + name + ": is missing, and the test knows it.")
        .withMessageContaining("Nothing was made or cleared.");
    // Older clusters have no other: whoever knows of none makes it.
    if (ClusterTopic.OF_EVERY_CLUSTER.contains(lost)) {
      assertThatExceptionOfType(ClusterException.class)
          .isThrownBy(() -> ensure(KnownTopics.NONE))
          .withMessageContaining("topic " + name + ": is missing, and topic ")
          .withMessageContaining(" has records.");
    }
    assertThat(names()).doesNotContain(name);

    topics.make(admin, lost, TestNode.SHARDS, ONE);
    Await.until(name, () -> topics.ids(admin).of(lost) != null);
    assertThatExceptionOfType(ClusterException.class)
        .isThrownBy(() -> node("one"))
        .withMessageContaining("topic " + name + ": was made anew")
        .withMessageContaining(
            "data folder " + folder.resolve("one") + " knows it with the id " + before.of(lost))
        .withMessageContaining("Nothing was made or cleared.");
  }

  private void ensure(KnownTopics known) throws Exception {
    new Topics(prefix, Duration.ZERO).ensure(admin, TestNode.SHARDS, ONE, known);
  }

  private static KnownTopics known(TopicIds ids) {
    return new KnownTopics(ids, "the test", () -> TopicLineage.NONE);
  }

  @Test
  void aFolderOfAnOlderProgramIsCompleted() throws Exception {
    havePending();
    Path mark = folder.resolve("one").resolve("reprise.cluster");
    String[] words = Files.readString(mark).strip().split(" ", -1);
    assertThat(words).hasSize(5);
    Files.writeString(mark, String.join(" ", List.of(words).subList(0, 4)) + "\n");

    node("one").close();

    assertThat(Files.readString(mark).strip().split(" ", -1)).isEqualTo(words);
    assertThat(TopicIds.parse(words[4])).isEqualTo(topics.ids(admin));
  }

  @Test
  void aShardIsNotTakenOverWithAnotherCatalogThanItHad() throws Exception {
    havePending();
    makeAnew(ClusterTopic.CATALOG);
    endpointIsUp = true;
    ListAppender<ILoggingEvent> told = new ListAppender<>();
    told.start();
    Logger log = (Logger) LoggerFactory.getLogger(ShardTakeover.class);
    log.addAppender(told);
    // It knows nothing of the catalog that was there.
    try (TestNode node = node("two")) {
      for (int shard = 0; shard < TestNode.SHARDS; shard++) {
        String refused =
            "shard %s cannot be taken over yet: topic %s: was made anew"
                .formatted(shard, topics.catalog());
        Await.until(
            refused, () -> messages(told).stream().anyMatch(each -> each.startsWith(refused)));
      }
      assertThat(node.owned()).isZero();
    } finally {
      log.detachAppender(told);
    }
  }

  private static List<String> messages(ListAppender<ILoggingEvent> told) {
    return List.copyOf(told.list).stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  @Test
  void aNodeEndsWhenATopicIsMadeAnewBesideIt() throws Exception {
    try (TestNode node = node("one")) {
      Await.until("shards", () -> node.owned() == TestNode.SHARDS);
      delete(ClusterTopic.EVENTS);

      Await.until("the end", () -> node.engine.failure() != null);

      assertThat(node.engine.failure()).contains("topic " + topics.events() + ": ");
      Await.until("no shards", () -> node.owned() == 0);
    }
  }

  @Test
  void aCatalogThatWasDeletedIsRestoredFromAFolder() throws Exception {
    havePending();
    assertThatExceptionOfType(ClusterException.class)
        .isThrownBy(() -> restore("catalog", false))
        .withMessageContaining("nothing is to be restored");
    TopicIds before = topics.ids(admin);
    // A broker makes it by itself when a client asks for it.
    makeAnew(ClusterTopic.CATALOG);

    TopicRestore.Report report = restore("catalog", false);

    Uuid after = topics.ids(admin).of(ClusterTopic.CATALOG);
    assertThat(report.before()).isEqualTo(before.of(ClusterTopic.CATALOG).toString());
    assertThat(report.after()).isEqualTo(after.toString());
    assertThat(report.records()).isPositive();
    assertThat(restore("catalog", false).records()).as("once more").isZero();
    endpointIsUp = true;
    try (TestNode one = node("one")) {
      Await.until("shards", () -> one.owned() == TestNode.SHARDS);
      // A message that names a place in the restored catalog arrives.
      one.publish("orders", "b");
      Await.until("the next ones", () -> one.engine.ledger().accepted() == 8);
      assertHasAll(one);
    }
  }

  /** Nothing of what was pending is discarded for want of its subscription. */
  private static void assertHasAll(TestNode node) {
    Ledger ledger = node.engine.ledger();
    assertThat(ledger.pending() + ledger.delivered()).isEqualTo(ledger.accepted());
    assertThat(ledger.accepted()).isGreaterThanOrEqualTo(4);
    assertThat(node.engine.catalog().subscriptions()).hasSize(4);
  }

  @Test
  void aShardAcceptsACatalogThatWasRestored() throws Exception {
    havePending();
    delete(ClusterTopic.CATALOG);
    restore("catalog", false);
    endpointIsUp = true;

    // Its folder knows nothing; the log of each shard knows the former one.
    try (TestNode two = node("two")) {
      Await.until("shards", () -> two.owned() == TestNode.SHARDS);
      assertHasAll(two);
    }
  }

  /** Leaves two folders of the node with pending deliveries, of which "early" is the older one. */
  private void havePendingTwice() throws Exception {
    havePending();
    Path early = Files.createDirectory(folder.resolve("early"));
    try (Stream<Path> files = Files.list(folder.resolve("one"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.copy(file, early.resolve(file.getFileName()));
      }
    }
    try (TestNode node = node("one")) {
      Await.until("shards", () -> node.owned() == TestNode.SHARDS);
      node.publish("orders", "b");
      Await.until("deliveries", () -> node.engine.ledger().pending() == 8);
    }
  }

  /** Up to where the copies of shards go in a folder. */
  private Map<Integer, Long> positions(String in) {
    try (RocksStore store =
        RocksStore.open(
            folder.resolve(in), RocksSettings.defaults().withReserveBytes(0).withoutSync())) {
      return new ShardCopies(store, TestNode.SHARDS).positions();
    }
  }

  private void assertDeliversAll(TestNode node) throws Exception {
    Await.until("shards", () -> node.owned() == TestNode.SHARDS);
    node.publish("orders", "c");
    Await.until("all deliveries", () -> node.engine.ledger().delivered() == 12);
    Ledger ledger = node.engine.ledger();
    assertThat(ledger.accepted()).isEqualTo(12);
    assertThat(ledger.unexplained()).isZero();
  }

  @Test
  void shardsAreRestoredFromTheNewestCopiesOfAllFolders() throws Exception {
    havePendingTwice();
    TopicIds before = topics.ids(admin);
    makeAnew(ClusterTopic.SHARDS);
    assertThatExceptionOfType(ClusterException.class)
        .isThrownBy(() -> node("one"))
        .withMessageContaining("topic " + topics.shards() + ": was made anew")
        .withMessageContaining("./reprise cluster restore-topic shards --data FOLDER");

    Map<Integer, Long> newest = positions("one");
    assertThat(newest).isNotEqualTo(positions("early"));

    TopicRestore.Report report = restore("shards", false, "early", "one");

    assertThat(report.before()).isEqualTo(before.of(ClusterTopic.SHARDS).toString());
    assertThat(report.sources())
        .extracting(each -> Map.entry(each.partition(), each.position()))
        .containsExactlyElementsOf(newest.entrySet());
    assertThat(report.lost()).isEmpty();
    assertThat(report.records()).isGreaterThan(8);
    assertThat(restore("shards", false, "early", "one").records()).as("once more").isZero();
    endpointIsUp = true;
    try (TestNode one = node("one")) {
      assertDeliversAll(one);
      assertThat(one.host().problems()).isEmpty();
    }
    // Its copies are those of the new topic, which it goes on with.
    try (TestNode one = node("one")) {
      Await.until("shards", () -> one.owned() == TestNode.SHARDS);
      assertThat(one.engine.ledger().delivered()).isEqualTo(12);
    }
    assertThat(Files.readString(folder.resolve("one").resolve("reprise.cluster")).split(" "))
        .contains(topics.ids(admin).of(ClusterTopic.SHARDS).toString());
  }

  @Test
  void whatAnOldCopyHasNotComesFromTheIntake() throws Exception {
    havePendingTwice();
    delete(ClusterTopic.SHARDS);
    delete(ClusterTopic.CATALOG);
    assertThatExceptionOfType(ClusterException.class)
        .isThrownBy(() -> restore("shards", false, "early"))
        .withMessageContaining("topic " + topics.catalog() + ": is missing as well");
    restore("catalog", false, "early", "one");

    TopicRestore.Report report = restore("shards", false, "early");

    assertThat(report.sources()).hasSize(TestNode.SHARDS);
    endpointIsUp = true;
    // Its folder knows nothing; the log of each shard knows the former topics.
    try (TestNode two = node("two")) {
      assertDeliversAll(two);
    }
  }

  @Test
  void aShardWithoutACopyBeginsAnewOnlyIfThatIsAccepted() throws Exception {
    havePending();
    delete(ClusterTopic.SHARDS);
    try (RocksStore store =
        RocksStore.open(
            folder.resolve("one"), RocksSettings.defaults().withReserveBytes(0).withoutSync())) {
      new ShardCopies(store, TestNode.SHARDS).drop(2);
    }
    assertThatExceptionOfType(ClusterException.class)
        .isThrownBy(() -> restore("shards", false))
        .withMessageContaining("has no copy of 1 of its 4 shards (2): name the folders of all");
    assertThat(names()).doesNotContain(topics.shards());

    assertThat(restore("shards", true).lost()).containsExactly(2);

    endpointIsUp = true;
    try (TestNode one = node("one")) {
      Await.until("shards", () -> one.owned() == TestNode.SHARDS);
      // What the shard had taken is still in the intake, and is taken once more.
      Await.until("all deliveries", () -> one.engine.ledger().delivered() == 4);
    }
  }

  @Test
  void aCatalogThatWasRestoredBeforeIsRestoredAgain() throws Exception {
    havePending();
    for (int time = 0; time < 2; time++) {
      delete(ClusterTopic.CATALOG);
      assertThat(restore("catalog", false).records()).isPositive();
      // It reads the restored one into its copy.
      try (TestNode one = node("one")) {
        Await.until("shards", () -> one.owned() == TestNode.SHARDS);
        assertHasAll(one);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"CATALOG", "SHARDS"})
  void noNodeStartsWhileARestorationIsBrokenOff(ClusterTopic lost) throws Exception {
    havePending();
    makeAnew(lost);
    // As the command leaves it that was killed before its first record.
    Batch begun = new Batch();
    RestoreMark.begin(begun, lost);
    append(begun);

    // Its folder knows nothing: it would begin anew what was not restored yet.
    assertThatExceptionOfType(ClusterException.class)
        .isThrownBy(() -> node("two"))
        .withMessageContaining(
            "the restoration of topic %s was begun and has not ended: run ./reprise cluster"
                + " restore-topic %s again",
            topics.name(lost), lost.suffix());

    restore(lost.suffix(), false);
    endpointIsUp = true;
    try (TestNode two = node("two")) {
      Await.until("shards", () -> two.owned() == TestNode.SHARDS);
      Await.until("all deliveries", () -> two.engine.ledger().delivered() == 4);
    }
  }

  private void append(Batch batch) {
    KafkaClients clients = new KafkaClients(settings());
    try (KafkaTurnLog log =
        KafkaTurnLog.own(
            clients, topics.catalog(), 0, Duration.ofSeconds(1), new BrokerClock(), null)) {
      log.append(batch);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"CATALOG", "SHARDS"})
  void aTopicThatOthersHaveFilledIsNotRestoredAndStopsNoNode(ClusterTopic lost) throws Exception {
    havePending();
    makeAnew(lost);
    // Nodes with empty folders would go on in it.
    int last = lost.partitions(TestNode.SHARDS) - 1;
    put(new ProducerRecord<>(topics.name(lost), last, new byte[] {0, 0, 'x'}, new byte[] {1}));

    assertThatExceptionOfType(ClusterException.class)
        .isThrownBy(() -> restore(lost.suffix(), false))
        .withMessageContaining("another program has written there");

    node("two").close();
  }

  @Test
  void theTopicOfApplicationsIsReadFromItsBeginningOnceItBeganAnew() throws Exception {
    havePending();
    endpointIsUp = true;
    try (TestNode one = node("one")) {
      for (int i = 0; i < 3; i++) {
        putOpen("before" + i);
      }
      Await.until("those before", () -> one.engine.ledger().delivered() == 16);
      Await.until(
          "their place is stored",
          () -> one.host().state().owned().get(0).backlog().notTaken() == 0);
    }
    delete(ClusterTopic.OPEN);
    restore("open", true);

    try (TestNode one = node("one")) {
      Await.until("shards", () -> one.owned() == TestNode.SHARDS);
      // Its place in the new topic is one that the shard had passed in the former.
      putOpen("after");
      Await.until("the next one", () -> one.engine.ledger().delivered() == 20);
      assertHasAll(one);
    }
  }

  private void putOpen(String body) throws Exception {
    ProducerRecord<byte[], byte[]> message =
        new ProducerRecord<>(topics.open(), 0, null, body.getBytes(StandardCharsets.UTF_8));
    message.headers().add(OpenMessage.TOPIC, "orders".getBytes(StandardCharsets.UTF_8));
    put(message);
  }

  private void put(ProducerRecord<byte[], byte[]> message) throws Exception {
    try (KafkaProducer<byte[], byte[]> application =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", brokers.bootstrap()),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      application.send(message).get();
    }
  }

  @Test
  void anIntakeThatWasDeletedBeginsAnewAndIsTold() throws Exception {
    havePending();
    delete(ClusterTopic.IN);
    assertThatExceptionOfType(ClusterException.class)
        .isThrownBy(() -> restore("in", false))
        .withMessageContaining("accepted and had not been taken in is gone")
        .withMessageContaining("--accept-loss");
    assertThat(names()).doesNotContain(topics.in());
    restore("in", true);
    endpointIsUp = true;

    try (TestNode one = node("one")) {
      Await.until("shards", () -> one.owned() == TestNode.SHARDS);
      one.publish("orders", "b");
      Await.until("the next ones", () -> one.engine.ledger().accepted() == 8);
      assertHasAll(one);
      assertThat(one.host().problems())
          .hasSize(TestNode.SHARDS)
          .allMatch(each -> each.contains("are gone, their number is unknown"));
    }
  }

  @Test
  void nothingIsRestoredWhileANodeRuns() throws Exception {
    havePending();
    TestNode two = node("two");
    try (two) {
      Await.until("shards", () -> two.owned() == TestNode.SHARDS);

      assertThatExceptionOfType(ClusterException.class)
          .isThrownBy(() -> restore("events", true))
          .withMessageContaining("1 of its nodes are at work: stop all nodes");
    }
  }

  private TopicRestore.Report restore(String topic, boolean acceptLoss) throws Exception {
    return restore(topic, acceptLoss, "one");
  }

  private TopicRestore.Report restore(String topic, boolean acceptLoss, String... folders)
      throws Exception {
    return TopicRestore.run(
        topic, Arrays.stream(folders).map(folder::resolve).toList(), settings(), acceptLoss);
  }

  private ClusterSettings settings() {
    return new ClusterSettings(
        brokers.bootstrap(),
        prefix,
        "restore",
        "",
        Map.of(),
        TestNode.SHARDS,
        ONE,
        1,
        Duration.ofSeconds(6),
        Duration.ofSeconds(1));
  }
}
