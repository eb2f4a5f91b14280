package dev.reprise.cluster;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cluster.base.BrokerClock;
import dev.reprise.cluster.base.ClusterSettings;
import dev.reprise.cluster.base.KafkaClients;
import dev.reprise.cluster.broker.Brokers;
import dev.reprise.cluster.intake.IntakeRecord;
import dev.reprise.cluster.log.KafkaTurnLog;
import dev.reprise.cluster.log.ShardBacklog;
import dev.reprise.cluster.log.Topics;
import dev.reprise.cluster.ownership.NodeState;
import dev.reprise.delivery.IntakeLog;
import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.delivery.engine.PublishReceipt;
import dev.reprise.delivery.shard.PayloadRecord;
import dev.reprise.fixtures.Await;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A node in trouble: it closes at any moment, and goes on once it can. After each test no thread of
 * it is left, and none has failed.
 */
@Tag("slow")
class NodeFaultsTest {
  private static final AtomicInteger CLUSTERS = new AtomicInteger();

  @TempDir static Path brokerFolder;
  private static Brokers brokers;

  @TempDir Path folder;
  private final Queue<Throwable> uncaught = new ConcurrentLinkedQueue<>();
  private final List<TestNode> nodes = new ArrayList<>();
  private Thread.UncaughtExceptionHandler before;
  private String prefix;

  @BeforeAll
  static void startBroker() throws Exception {
    brokers = Brokers.start(brokerFolder, 1);
  }

  @AfterAll
  static void stopBroker() {
    brokers.close();
  }

  @BeforeEach
  void watchThreads() {
    prefix = "n" + CLUSTERS.incrementAndGet();
    before = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler((thread, error) -> uncaught.add(error));
  }

  @AfterEach
  void noThreadHasFailedOrIsLeft() {
    nodes.forEach(TestNode::close);
    Thread.setDefaultUncaughtExceptionHandler(before);
    assertThat(uncaught).isEmpty();
    Await.until("no thread of a node: " + threads(), () -> threads().isEmpty());
  }

  private static List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("reprise-"))
        // The one of all retries of the process; no node's.
        .filter(name -> !name.equals("reprise-timer"))
        .toList();
  }

  private TestNode node(String name, Duration lease) {
    TestNode node =
        new TestNode(
            brokers, prefix, name, folder.resolve(name), lease, body -> TestNode.delivered());
    nodes.add(node);
    return node;
  }

  private static boolean isTakingOver(TestNode node) {
    return node.owned() == 0
        && node.host().map().shards() == TestNode.SHARDS
        && node.host().state().owned().stream()
                .filter(each -> each.phase() == NodeState.Phase.TAKING_OVER)
                .count()
            == TestNode.SHARDS;
  }

  @Test
  void closesDuringATakeover() throws Exception {
    Duration lease = Duration.ofHours(1);
    TestNode first = node("one", lease);
    Await.until("all shards", () -> first.owned() == TestNode.SHARDS);
    first.engine.addTopic("orders");
    first.engine.subscribe("orders", SubscriptionSettings.of("http://192.0.2.1/"));
    first.publish("orders", "a");
    Await.until("delivered", () -> first.engine.ledger().delivered() == 1);

    // It cannot say that it has ended: whoever follows waits for the end of its lease.
    brokers.pause(1);
    first.close();
    brokers.resume(1);

    TestNode second = node("two", lease);
    Await.until("a take-over", () -> isTakingOver(second));
    second.close();
    assertThat(second.owned()).isZero();
  }

  @Test
  void closesBeforeItHasJoined() {
    TestNode node = node("one", Duration.ofSeconds(1));
    node.close();

    assertThat(node.engine.fault()).isNotNull();
  }

  @Test
  void closesWhileTheBrokersAreAway() throws Exception {
    TestNode node = node("one", Duration.ofSeconds(1));
    Await.until("all shards", () -> node.owned() == TestNode.SHARDS);
    node.engine.addTopic("orders");
    for (int i = 0; i < TestNode.SHARDS; i++) {
      node.engine.subscribe("orders", SubscriptionSettings.of("http://192.0.2.1/" + i));
    }
    node.publish("orders", "a");
    brokers.kill(1);

    node.close();

    brokers.restart(1);
    assertThat(node.engine.readersHere()).isEmpty();
  }

  @Test
  void noShardIsAtWorkWhileTheBrokersDoNotAnswer() throws Exception {
    TestNode node =
        new TestNode(
            brokers,
            prefix,
            "one",
            folder.resolve("one"),
            Duration.ofSeconds(1),
            Duration.ofSeconds(2),
            System::currentTimeMillis,
            body -> TestNode.delivered());
    nodes.add(node);
    Await.until("all are at work", () -> areAll(node, NodeState.Phase.RUNNING));
    brokers.pause(1);
    try {
      Await.until("all wait", () -> areAll(node, NodeState.Phase.WAITING_FOR_BROKERS));
      assertThat(node.host().state().owned())
          .allSatisfy(
              each -> {
                assertThat(each.backlog().problem()).startsWith("the brokers do not");
                assertThat(each.backlog().sinceMillis()).isPositive();
              });
    } finally {
      brokers.resume(1);
    }
    Await.until("all are at work", () -> areAll(node, NodeState.Phase.RUNNING));
  }

  @Test
  void aShardWhoseNextBatchIsDamagedIsToldWithItsAge() throws Exception {
    TestNode node =
        new TestNode(
            brokers,
            prefix,
            "one",
            folder.resolve("one"),
            Duration.ofSeconds(1),
            Duration.ofSeconds(2),
            System::currentTimeMillis,
            body -> TestNode.delivered());
    nodes.add(node);
    Await.until("all are at work", () -> areAll(node, NodeState.Phase.RUNNING));
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", brokers.bootstrap(), "transactional.id", prefix),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      producer.initTransactions();
      producer.beginTransaction();
      // The member reads nothing of it before it is damaged.
      byte[] value = "a body that is damaged".getBytes(UTF_8);
      producer.send(new ProducerRecord<>(prefix + ".in", 2, null, value)).get();
      damage(prefix + ".in-2", value);
      producer.commitTransaction();
    }
    Await.until("the shard stands", () -> node.host().state().owned().get(2).backlog().stands());
    ShardBacklog stands = node.host().state().owned().get(2).backlog();
    assertThat(stands.problem()).startsWith(prefix + ".in-2 cannot be read at 0: ");
    assertThat(stands.atLeast()).isTrue();
    assertThat(stands.notTaken()).isPositive();

    // The last way out: what nobody can read is deleted, and told as lost.
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", brokers.bootstrap()))) {
      admin
          .deleteRecords(
              Map.of(new TopicPartition(prefix + ".in", 2), RecordsToDelete.beforeOffset(1)))
          .all()
          .get();
    }
    Await.until("it goes on", () -> node.host().state().owned().get(2).backlog().notTaken() == 0);
    Await.until("the loss is told", () -> node.host().lostIntake(IntakeLog.IN).containsKey(2));
    assertThat(node.host().state().owned().get(2).backlog().problem()).isNull();
  }

  /** Changes a byte of what a broker has stored. */
  private static void damage(String partition, byte[] value) throws IOException {
    Path log = logOf(partition);
    String stored = Files.readString(log, ISO_8859_1);
    int at = stored.indexOf(new String(value, ISO_8859_1));
    try (FileChannel file = FileChannel.open(log, StandardOpenOption.WRITE)) {
      file.write(ByteBuffer.wrap(new byte[] {'A'}), at);
    }
  }

  private static Path logOf(String partition) {
    return Brokers.files(brokerFolder, 1).resolve(partition).resolve("00000000000000000000.log");
  }

  private static boolean areAll(TestNode node, NodeState.Phase phase) {
    List<NodeState.Owned> owned = node.host().state().owned();
    return owned.size() == TestNode.SHARDS && owned.stream().allMatch(e -> e.phase() == phase);
  }

  private TestNode owning(LongSupplier wall) {
    TestNode node =
        new TestNode(
            brokers,
            prefix,
            "one",
            folder.resolve("one"),
            Duration.ofSeconds(1),
            wall,
            body -> TestNode.delivered());
    nodes.add(node);
    Await.until("all shards", () -> node.owned() == TestNode.SHARDS);
    node.engine.addTopic("orders");
    for (int i = 0; i < TestNode.SHARDS; i++) {
      node.engine.subscribe("orders", SubscriptionSettings.of("http://192.0.2.1/" + i));
    }
    node.publish("orders", "a");
    Await.until("delivered", () -> node.engine.ledger().delivered() == TestNode.SHARDS);
    return node;
  }

  @Test
  void aNodeOwnsNothingWhileItsClockIsWrong() {
    AtomicLong ahead = new AtomicLong();
    TestNode node = owning(() -> System.currentTimeMillis() + ahead.get());

    ahead.set(11_000);

    Await.until("nothing is owned", () -> node.owned() == 0);
    assertThat(node.engine.fault()).contains("the clock of this node differs", "10000 ms");
    ahead.set(0);
    Await.until("all shards", () -> node.owned() == TestNode.SHARDS);
    node.publish("orders", "b");
    Await.until("delivered", () -> node.engine.ledger().delivered() == 2 * TestNode.SHARDS);
    assertThat(node.engine.ledger().unexplained()).isZero();
  }

  /** One byte of a broker's disk: Kafka's consumer throws at each poll then, for all partitions. */
  @Test
  void aBatchThatCannotBeReadStopsItsShardAlone() throws Exception {
    TestNode first = owning(System::currentTimeMillis);
    Subscription ofShard1 =
        first.engine.catalog().topic("orders").subscriptions().stream()
            .filter(each -> first.engine.shardsOf(each).shard(0) == 1)
            .findFirst()
            .orElseThrow();
    nodes.remove(first);
    first.close();
    IntakeRecord accepted =
        new IntakeRecord(
            0,
            MessageId.of(System.currentTimeMillis(), 1, 1),
            false,
            new long[] {ofShard1.number()},
            PayloadRecord.encode(new Payload("text/plain", new byte[0], new byte[] {'b'})));
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", brokers.bootstrap()),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      producer.send(new ProducerRecord<>(prefix + ".in", 1, null, accepted.encode())).get();
    }
    Path log = logOf(prefix + ".in-1");
    long place = Files.size(log) - 1;
    flip(log, place);

    TestNode second = node("one", Duration.ofSeconds(1));
    Await.until("all shards", () -> second.owned() == TestNode.SHARDS);
    for (int i = 0; i < 5; i++) {
      second.publish("orders", "c" + i);
    }

    int ofOthers = 5 * (TestNode.SHARDS - 1);
    Await.until("all others", () -> delivered(second) == TestNode.SHARDS + ofOthers);
    assertThat(troubles(second))
        .singleElement()
        .asString()
        .contains(prefix + ".in-1 cannot be read at ", "corrupt");

    flip(log, place);
    Await.until("what stood", () -> delivered(second) == TestNode.SHARDS + ofOthers + 6);
    Await.until("nothing stands", () -> troubles(second).isEmpty());
    assertThat(second.engine.ledger().unexplained()).isZero();
  }

  private static List<String> troubles(TestNode node) {
    return node.host().state().owned().stream()
        .map(NodeState.Owned::trouble)
        .filter(Objects::nonNull)
        .toList();
  }

  private static long delivered(TestNode node) {
    return node.engine.ledger().delivered();
  }

  private static void flip(Path log, long place) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "rw")) {
      file.seek(place);
      int before = file.read();
      file.seek(place);
      file.write(before ^ 1);
    }
  }

  @Test
  void shardsThatWereLostAreTakenOverAgain() {
    TestNode node = owning(System::currentTimeMillis);
    // As another owner would: every turn from now on ends as lost.
    KafkaClients others =
        new KafkaClients(
            new ClusterSettings(
                brokers.bootstrap(),
                prefix,
                "other",
                "",
                Map.of(),
                TestNode.SHARDS,
                (short) 1,
                0,
                Duration.ofSeconds(6),
                Duration.ofSeconds(1)));
    for (int shard = 0; shard < TestNode.SHARDS; shard++) {
      KafkaTurnLog.own(
              others,
              new Topics(prefix).shards(),
              shard,
              Duration.ofSeconds(1),
              new BrokerClock(),
              null)
          .close();
    }

    for (int i = 0; i < 50; i++) {
      node.publish("orders", "m" + i);
    }

    Await.until("delivered", () -> node.engine.ledger().delivered() == 51 * TestNode.SHARDS);
    assertThat(node.engine.ledger().accepted()).isEqualTo(51L * TestNode.SHARDS);
    assertThat(node.engine.failure()).isNull();
  }

  @Test
  void whatIsPublishedWhileTheBrokersAreAwayIsAcceptedLater() throws Exception {
    TestNode node = owning(System::currentTimeMillis);
    brokers.kill(1);

    long beganNanos = System.nanoTime();
    CompletionStage<PublishReceipt> receipt = node.start("orders", "b");
    brokers.restart(1);
    if (System.nanoTime() - beganNanos > TimeUnit.SECONDS.toNanos(15)) {
      // On a machine under load its process may start for longer than a publish waits, 30 s.
      receipt.toCompletableFuture().handle((taken, refused) -> taken).get(5, TimeUnit.MINUTES);
      receipt = node.start("orders", "b");
    }

    assertThat(receipt.toCompletableFuture().get(5, TimeUnit.MINUTES).deliveries())
        .isEqualTo(TestNode.SHARDS);
    Await.until("delivered", () -> node.engine.ledger().delivered() >= 2 * TestNode.SHARDS);
  }

  @Test
  void deadLettersAreHandedOverByWhoeverHasTheirShard() throws Exception {
    AtomicInteger attempts = new AtomicInteger();
    int subscriptions = TestNode.SHARDS;
    for (String name : List.of("one", "two")) {
      nodes.add(
          new TestNode(
              brokers,
              prefix,
              name,
              folder.resolve(name),
              Duration.ofSeconds(1),
              body ->
                  attempts.incrementAndGet() <= subscriptions
                      ? TestNode.refused()
                      : TestNode.delivered()));
    }
    TestNode one = nodes.get(0);
    Await.until(
        "half of the shards each", () -> nodes.stream().allMatch(node -> node.owned() == 2));
    TestNode writer = one.engine.isWritable() ? one : nodes.get(1);
    writer.engine.addTopic("orders");
    writer.engine.addTopic("failed");
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < subscriptions; i++) {
      ids.add(writer.engine.subscribe("orders", SubscriptionSettings.of("http://192.0.2.1/")).id());
    }
    String target =
        writer.engine.subscribe("failed", SubscriptionSettings.of("http://192.0.2.1/")).id();
    writer.publish("orders", "a");
    Await.until("dead", () -> ledger().deadLettered() == subscriptions);

    // The other node is not asked for anything.
    ids.forEach(id -> writer.engine.changeSubscription(id, settings -> movedTo(settings, target)));

    Await.until(
        "moved and delivered",
        () -> ledger().delivered() == subscriptions && ledger().moved() == subscriptions);
    assertThat(ledger().unexplained()).isZero();
  }

  private Ledger ledger() {
    return nodes.stream().map(node -> node.engine.ledger()).reduce(Ledger.EMPTY, Ledger::plus);
  }

  private static SubscriptionSettings movedTo(SubscriptionSettings settings, String target) {
    return new SubscriptionSettings(
        settings.protocol(),
        settings.endpoint(),
        settings.carrier(),
        settings.format(),
        settings.policy(),
        settings.filter(),
        settings.deadLetters(),
        settings.lifetime(),
        settings.maxInFlight(),
        settings.http(),
        target,
        settings.startSuspended(),
        settings.suspendWhenGone());
  }
}
