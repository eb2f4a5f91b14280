package dev.reprise.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

import dev.reprise.cluster.base.ClusterException;
import dev.reprise.cluster.base.ClusterSettings;
import dev.reprise.cluster.broker.Brokers;
import dev.reprise.cluster.group.ShardMap;
import dev.reprise.cluster.intake.OpenMessage;
import dev.reprise.cluster.log.Topics;
import dev.reprise.cluster.migrate.TopicRestore;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.fixtures.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What an operator does by the recipes of OPERATIONS.md, as far as no test of the parts has it:
 * what is seen before, and that it goes on afterwards.
 */
@Tag("slow")
class RecipesTest {
  private static final AtomicInteger CLUSTERS = new AtomicInteger();
  private static final int TOO_LARGE = 200_000;

  private static Brokers brokers;
  private static Admin admin;

  @TempDir Path folder;
  private final List<TestNode> nodes = new ArrayList<>();
  private final Queue<String> arrived = new ConcurrentLinkedQueue<>();
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
    prefix = "recipe" + CLUSTERS.incrementAndGet();
    topics = new Topics(prefix);
  }

  @AfterEach
  void close() {
    nodes.forEach(TestNode::close);
  }

  private ClusterSettings settings(String node) {
    return settings(node, "http://" + node);
  }

  private ClusterSettings settings(String node, String url) {
    return new ClusterSettings(
        brokers.bootstrap(),
        prefix,
        node,
        url,
        Map.of(),
        TestNode.SHARDS,
        (short) 1,
        1,
        Duration.ofSeconds(6),
        Duration.ofSeconds(1));
  }

  private TestNode node(String name, String in) {
    TestNode node =
        new TestNode(
            settings(name),
            folder.resolve(in),
            System::currentTimeMillis,
            System::nanoTime,
            this::attempt);
    nodes.add(node);
    return node;
  }

  private AttemptOutcome attempt(String body) {
    arrived.add(body);
    return TestNode.delivered();
  }

  /** A node with all shards, a topic, and a subscription in each shard. */
  private TestNode one() throws Exception {
    TestNode one = node("one", "one");
    Await.until("shards", () -> one.owned() == TestNode.SHARDS);
    subscribe(one);
    return one;
  }

  private static void subscribe(TestNode node) {
    node.engine.addTopic("orders");
    for (int i = 0; i < TestNode.SHARDS; i++) {
      node.engine.subscribe("orders", SubscriptionSettings.of("http://192.0.2.1/" + i));
    }
  }

  private void stop(TestNode node) {
    nodes.remove(node);
    node.close();
  }

  private void awaitArrived(String body) throws Exception {
    Await.until(
        body + " at each subscription",
        () -> arrived.stream().filter(body::equals).count() >= TestNode.SHARDS);
  }

  private static void delete(List<String> names) throws Exception {
    admin.deleteTopics(names).all().get();
    Await.until(
        "the end of " + names,
        () -> admin.listTopics().names().get().stream().noneMatch(names::contains));
  }

  private static void set(String topic, String setting, String value) throws Exception {
    admin
        .incrementalAlterConfigs(
            Map.of(
                new ConfigResource(ConfigResource.Type.TOPIC, topic),
                List.of(
                    new AlterConfigOp(new ConfigEntry(setting, value), AlterConfigOp.OpType.SET))))
        .all()
        .get();
  }

  /** {@code reprise.events} was deleted. */
  @Test
  void eventsThatWereDeletedBeginAnew() throws Exception {
    TestNode before = one();
    before.publish("orders", "before");
    awaitArrived("before");
    stop(before);
    delete(List.of(topics.events()));
    assertThatExceptionOfType(ClusterException.class)
        .isThrownBy(() -> node("one", "one"))
        .withMessageContaining("topic " + topics.events() + ": is missing");

    TopicRestore.Report report =
        TopicRestore.run("events", List.of(folder.resolve("one")), settings("restore"), true);

    assertThat(report.topic()).isEqualTo(topics.events());
    TestNode after = node("one", "one");
    Await.until("shards", () -> after.owned() == TestNode.SHARDS);
    after.publish("orders", "after");
    awaitArrived("after");
    try (EventReader reader = new EventReader(brokers, prefix)) {
      Await.until("the events", () -> reader.read("delivered").size() == TestNode.SHARDS);
    }
  }

  /** All topics were deleted on purpose. */
  @Test
  void topicsThatWereAllDeletedBeginAnewOnEmptyFolders() throws Exception {
    TestNode before = one();
    before.publish("orders", "before");
    awaitArrived("before");
    stop(before);
    delete(topics.names());
    assertThatExceptionOfType(ClusterException.class)
        .isThrownBy(() -> node("one", "one"))
        .withMessageContaining("all are missing, and data folder " + folder.resolve("one"));

    TestNode after = node("one", "empty");

    Await.until("shards", () -> after.owned() == TestNode.SHARDS);
    assertThat(after.engine.catalog().subscriptions()).isEmpty();
    assertThat(after.host().problems()).isEmpty();
    subscribe(after);
    after.publish("orders", "after");
    awaitArrived("after");
    assertThat(after.engine.ledger().accepted()).isEqualTo(TestNode.SHARDS);
  }

  /** A message of an application is too large for a shard. */
  @Test
  void aMessageThatWasTooLargeIsTakenOnceTheTopicAllowsIt() throws Exception {
    TestNode one = one();
    set(topics.in(), "max.message.bytes", "100000");
    byte[] random = new byte[TOO_LARGE / 2];
    new Random(7).nextBytes(random);
    // Text that hardly gets smaller.
    String body = HexFormat.of().formatHex(random);
    putOpen(body);
    try (EventReader reader = new EventReader(brokers, prefix)) {
      Await.until("the refusal", () -> !reader.read("refused").isEmpty());
    }
    assertThat(arrived).doesNotContain(body);

    set(topics.in(), "max.message.bytes", "4194304");
    putOpen(body);

    awaitArrived(body);
    assertThat(one.engine.fault()).isNull();
  }

  /** Two processes with one name, started in the same moment. */
  @Test
  void twoProcessesOfOneNameBothWorkUntilOneIsStopped() throws Exception {
    stop(one());
    CyclicBarrier joining = new CyclicBarrier(2);
    CompletableFuture<TestNode> first =
        CompletableFuture.supplyAsync(() -> twin("http://10.0.0.1", "one", joining));
    CompletableFuture<TestNode> second =
        CompletableFuture.supplyAsync(() -> twin("http://10.0.0.2", "other", joining));
    TestNode kept = first.get(5, TimeUnit.MINUTES);
    TestNode stopped = second.get(5, TimeUnit.MINUTES);
    nodes.addAll(List.of(kept, stopped));
    Await.until("shares", () -> kept.owned() == 2 && stopped.owned() == 2);
    assertThat(kept.host().map().nodes())
        .extracting(ShardMap.Node::name, ShardMap.Node::url)
        .containsExactlyInAnyOrder(
            tuple("one", "http://10.0.0.1"), tuple("one", "http://10.0.0.2"));
    kept.publish("orders", "meanwhile");
    awaitArrived("meanwhile");

    stop(stopped);

    Await.until("all shards", () -> kept.owned() == TestNode.SHARDS);
    kept.publish("orders", "after");
    awaitArrived("after");
    Await.until("the ledger", () -> kept.engine.ledger().delivered() == 2 * TestNode.SHARDS);
  }

  private TestNode twin(String url, String in, CyclicBarrier joining) {
    return new TestNode(
        settings("one", url),
        folder.resolve(in),
        System::currentTimeMillis,
        System::nanoTime,
        () -> {
          try {
            joining.await(5, TimeUnit.MINUTES);
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        },
        this::attempt);
  }

  /** A record can be read and is not taken. */
  @Test
  void aShardWhoseThreadStandsStillGoesOnAtAnotherNode() throws Exception {
    AtomicBoolean stands = new AtomicBoolean();
    CountDownLatch end = new CountDownLatch(1);
    TestNode one =
        new TestNode(
            TestNode.standing(settings("one"), Duration.ofSeconds(3)),
            folder.resolve("one"),
            () -> {
              if (stands.get() && Thread.currentThread().getName().equals("reprise-shard-1")) {
                awaitQuietly(end);
              }
              return System.currentTimeMillis();
            },
            System::nanoTime,
            this::attempt);
    nodes.add(one);
    try {
      Await.until("shards", () -> one.owned() == TestNode.SHARDS);
      subscribe(one);
      stands.set(true);
      one.publish("orders", "a");
      Await.until(
          "the words",
          () ->
              one.host().state().owned().stream()
                  .anyMatch(
                      each ->
                          each.shard() == 1
                              && String.valueOf(each.trouble())
                                  .matches(
                                      topics.in() + "-1 at \\d+ can be read, and is not taken")));
      // The others are not held up.
      Await.until("what is of others", () -> arrived.size() >= TestNode.SHARDS - 1);

      TestNode two = node("two", "two");
      Await.until("its share", () -> two.owned() == TestNode.SHARDS / 2);
      stop(one);

      Await.until("all shards", () -> two.owned() == TestNode.SHARDS);
      awaitArrived("a");
      Await.until("the ledger", () -> two.engine.ledger().delivered() == TestNode.SHARDS);
    } finally {
      end.countDown();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** A setting of a topic was changed so that data is in danger. */
  @Test
  void aSettingThatEndangersDataIsToldUntilItIsMended() throws Exception {
    TestNode node = one();
    assertThat(node.host().topicFaults()).isEmpty();
    set(topics.in(), "retention.bytes", "1073741824");
    set(topics.catalog(), "delete.retention.ms", "60000");

    Await.until("the fault", () -> faults(node).size() == 2);

    assertThat(node.host().topicFaults())
        .contains(
            ("topic %s: retention.bytes is 1073741824, and must be -1. Mend it with:"
                    + " kafka-configs.sh --bootstrap-server BROKERS --alter --entity-type topics"
                    + " --entity-name %s --add-config retention.bytes=-1")
                .formatted(topics.in(), topics.in()));
    assertThat(node.host().topicWatch().deletionsKeptMillis(topics.catalog())).isEqualTo(60_000);
    assertThat(node.owned()).isEqualTo(TestNode.SHARDS);
    assertThat(node.engine.fault()).isNull();

    set(topics.in(), "retention.bytes", "-1");
    set(topics.catalog(), "delete.retention.ms", "86400000");

    Await.until("no fault", () -> faults(node).isEmpty());
  }

  /** Returns what is wrong now, and not within a minute. */
  private static List<String> faults(TestNode node) throws Exception {
    node.host().topicWatch().look();
    return node.host().topicFaults();
  }

  private void putOpen(String body) throws Exception {
    try (KafkaProducer<byte[], byte[]> application =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", brokers.bootstrap()),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      ProducerRecord<byte[], byte[]> message =
          new ProducerRecord<>(topics.open(), 0, null, body.getBytes(UTF_8));
      message.headers().add(OpenMessage.TOPIC, "orders".getBytes(UTF_8));
      application.send(message).get(5, TimeUnit.MINUTES);
    }
  }
}
