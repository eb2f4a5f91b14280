package dev.reprise.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cluster.broker.Brokers;
import dev.reprise.cluster.intake.IntakeRecord;
import dev.reprise.cluster.intake.OpenMessage;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.delivery.engine.PublishReceipt;
import dev.reprise.fixtures.Await;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** One application, or one record, that is not as it should be: nobody else's deliveries notice. */
@Tag("slow")
class OpenTopicTest {
  private static final int PUBLISHES = 200;
  private static final AtomicInteger CLUSTERS = new AtomicInteger();

  private static Brokers brokers;
  private static KafkaProducer<byte[], byte[]> producer;

  @TempDir Path folder;
  private final List<TestNode> nodes = new ArrayList<>();
  private String prefix;

  /** How often each message has arrived, by its body. */
  private final Map<String, AtomicInteger> arrived = new ConcurrentHashMap<>();

  @BeforeAll
  static void findBroker() throws Exception {
    brokers = SharedBroker.get();
    producer = producer(Map.of());
  }

  private static KafkaProducer<byte[], byte[]> producer(Map<String, Object> more) {
    Map<String, Object> settings = new ConcurrentHashMap<>(more);
    settings.put("bootstrap.servers", brokers.bootstrap());
    return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
  }

  @AfterAll
  static void closeProducer() {
    producer.close();
  }

  @BeforeEach
  void newCluster() {
    prefix = "open" + CLUSTERS.incrementAndGet();
  }

  @AfterEach
  void close() {
    nodes.forEach(TestNode::close);
  }

  private TestNode join(String name) {
    TestNode node =
        new TestNode(
            brokers,
            prefix,
            name,
            folder.resolve(name),
            body -> {
              arrived.computeIfAbsent(body, key -> new AtomicInteger()).incrementAndGet();
              return TestNode.delivered();
            });
    nodes.add(node);
    return node;
  }

  /** A node with all shards, and a topic of a subscription for each shard. */
  private TestNode one() {
    TestNode one = join("one");
    await("all shards", () -> one.owned() == TestNode.SHARDS);
    one.engine.addTopic("orders");
    for (int i = 0; i < TestNode.SHARDS; i++) {
      one.engine.subscribe("orders", SubscriptionSettings.of("http://192.0.2.1/" + i));
    }
    return one;
  }

  private void await(String what, Await.Condition condition) {
    Await.until(
        what,
        () -> delivered() + " deliveries, " + arrived.size() + " messages arrived",
        condition);
  }

  private long delivered() {
    return nodes.stream().mapToLong(node -> node.engine.ledger().delivered()).sum();
  }

  private ProducerRecord<byte[], byte[]> message(int partition, String body) {
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(prefix + ".open", partition, null, body.getBytes(UTF_8));
    record.headers().add(OpenMessage.TOPIC, "orders".getBytes(UTF_8));
    return record;
  }

  private static RecordMetadata put(ProducerRecord<byte[], byte[]> record) throws Exception {
    return producer.send(record).get(5, TimeUnit.MINUTES);
  }

  private void publishAll(TestNode node) {
    List<CompletionStage<PublishReceipt>> accepted = new ArrayList<>();
    for (int i = 0; i < PUBLISHES; i++) {
      accepted.add(node.start("orders", "p" + i));
    }
    accepted.forEach(each -> each.toCompletableFuture().orTimeout(1, TimeUnit.MINUTES).join());
  }

  private void assertAllArrivedOnce() {
    for (int i = 0; i < PUBLISHES; i++) {
      assertThat(arrived.get("p" + i)).as("p" + i).hasValue(TestNode.SHARDS);
    }
  }

  @Test
  void anOpenTransactionOfAnApplicationHoldsNobodyUp() throws Exception {
    TestNode one = one();
    try (KafkaProducer<byte[], byte[]> application =
        producer(Map.of("transactional.id", prefix + "-application"))) {
      application.initTransactions();
      application.beginTransaction();
      for (int partition = 0; partition < TestNode.SHARDS; partition++) {
        application.send(message(partition, "t" + partition)).get(5, TimeUnit.MINUTES);
      }

      publishAll(one);
      await("while it is open", () -> delivered() == PUBLISHES * TestNode.SHARDS);
      assertAllArrivedOnce();
      assertThat(arrived).hasSize(PUBLISHES);
      assertThat(one.engine.fault()).isNull();

      // Another application's waits for it, as the partition is theirs alone.
      put(message(0, "behind"));
      application.commitTransaction();
    }
    await("after it", () -> delivered() == (PUBLISHES + 5) * TestNode.SHARDS);
    for (String body : List.of("t0", "t1", "t2", "t3", "behind")) {
      assertThat(arrived.get(body)).as(body).hasValue(TestNode.SHARDS);
    }
  }

  @Test
  void aRecordThatCannotBeReadCostsItselfAlone() throws Exception {
    TestNode one = one();
    byte[] beyond =
        new IntakeRecord(Long.MAX_VALUE, MessageId.of(1, 2, 3), false, new long[] {1}, new byte[0])
            .encode();
    String in = prefix + ".in";
    try (EventReader reader = new EventReader(brokers, prefix)) {
      put(new ProducerRecord<>(in, 3, null, new byte[] {2, (byte) 0xaa, (byte) 0xbb, (byte) 0xcc}));
      put(new ProducerRecord<>(in, 2, null, beyond));

      publishAll(one);
      await("all", () -> delivered() == PUBLISHES * TestNode.SHARDS);
      await("told", () -> reader.read("refused").size() == 2);
      assertAllArrivedOnce();
      assertThat(reader.read("refused").stream().map(OpenTopicTest::partitionAndReason))
          .satisfiesExactlyInAnyOrder(
              stray -> assertThat(stray).startsWith("3 ").contains("version 2"),
              future ->
                  assertThat(future).startsWith("2 ").contains("catalog", "" + Long.MAX_VALUE));
    }
    assertThat(one.host().refusedRecords()).isEqualTo(2);
    assertThat(one.engine.fault()).isNull();
  }

  @Test
  void aMessageThatTheBrokersNeverTakeIsRefused() throws Exception {
    TestNode one = one();
    byte[] random = new byte[200_000];
    new Random(7).nextBytes(random);
    ConfigResource in = new ConfigResource(ConfigResource.Type.TOPIC, prefix + ".in");
    AlterConfigOp less =
        new AlterConfigOp(new ConfigEntry("max.message.bytes", "100000"), AlterConfigOp.OpType.SET);
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", brokers.bootstrap()));
        EventReader reader = new EventReader(brokers, prefix)) {
      admin.incrementalAlterConfigs(Map.of(in, List.of(less))).all().get();
      ProducerRecord<byte[], byte[]> large =
          new ProducerRecord<>(prefix + ".open", 0, null, random);
      large.headers().add(OpenMessage.TOPIC, "orders".getBytes(UTF_8));
      put(large);
      put(message(0, "behind"));

      await("the one behind", () -> delivered() == TestNode.SHARDS);
      await("told", () -> reader.read("refused").size() == 1);
      assertThat(partitionAndReason(reader.read("refused").get(0))).contains("cannot get it");
    }
    assertThat(arrived).containsOnlyKeys("behind");
    assertThat(one.host().refusedRecords()).isEqualTo(1);
  }

  private static String partitionAndReason(JsonNode event) {
    return event.get("partition") + " " + event.get("reason").stringValue();
  }
}
