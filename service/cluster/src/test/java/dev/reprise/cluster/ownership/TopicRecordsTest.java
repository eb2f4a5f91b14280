package dev.reprise.cluster.ownership;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.reprise.cluster.EventReader;
import dev.reprise.cluster.SharedBroker;
import dev.reprise.cluster.TestNode;
import dev.reprise.cluster.broker.Brokers;
import dev.reprise.cluster.intake.IntakeRecord;
import dev.reprise.cluster.intake.OpenMessage;
import dev.reprise.delivery.catalog.ConflictException;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.fixtures.Await;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A shard that stands at a record, and what an operator sees and does. */
@Tag("slow")
class TopicRecordsTest {
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
    prefix = "stands" + CLUSTERS.incrementAndGet();
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

  private RecordMetadata put(String topic, int partition, Map<String, byte[]> headers, byte[] value)
      throws Exception {
    return put(producer, topic, partition, headers, value);
  }

  private RecordMetadata put(
      KafkaProducer<byte[], byte[]> by,
      String topic,
      int partition,
      Map<String, byte[]> headers,
      byte[] value)
      throws Exception {
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(prefix + topic, partition, null, value);
    headers.forEach((name, text) -> record.headers().add(name, text));
    return by.send(record).get(5, TimeUnit.MINUTES);
  }

  private static Map<String, byte[]> node(int version) {
    return Map.of(IntakeRecord.NODE, new byte[] {(byte) version});
  }

  private static @Nullable String trouble(TestNode node, int shard) {
    return node.host().state().owned().stream()
        .filter(each -> each.shard() == shard)
        .findFirst()
        .map(NodeState.Owned::trouble)
        .orElse(null);
  }

  @Test
  void aShardStandsAtARecordOfANewerProgramUntilItIsSkipped() throws Exception {
    TestNode one = one();
    one.publish("orders", "before");
    await("delivered", () -> delivered() == 4);

    RecordMetadata newer = put(".in", 1, node(2), new byte[] {2, 1});
    RecordMetadata another = put(".in", 1, node(3), null);
    one.publish("orders", "behind");

    await("the others", () -> delivered() == 7);
    await("trouble", () -> trouble(one, 1) != null);
    assertThat(trouble(one, 1)).contains(prefix + ".in-1 at " + newer.offset() + " has version 2");
    assertThat(one.engine.fault()).as("the node takes part").isNull();
    one.publish("orders", "later");
    await("the others", () -> delivered() == 10);
    for (Subscription each : one.engine.catalog().topic("orders").subscriptions()) {
      int shard = one.engine.shardsOf(each).shard(0);
      assertThat(trouble(one, shard) == null).isEqualTo(shard != 1);
      assertThat(one.engine.reader(each).ledger(each.number()).delivered())
          .isEqualTo(shard == 1 ? 1 : 3);
    }
    TopicRecords records = one.host().records();
    assertThat(records.show(false, 1, newer.offset()).meaning())
        .isEqualTo("a record of a node that has version 2, and this program reads version 1");
    assertThatExceptionOfType(ConflictException.class)
        .isThrownBy(() -> records.skip(1, another.offset()))
        .withMessageContaining("does not stand at " + another.offset())
        .withMessageContaining("at " + newer.offset() + " has version 2");
    assertThatExceptionOfType(ConflictException.class)
        .isThrownBy(() -> records.skip(2, 0))
        .withMessageContaining("it takes in what comes");

    // The next owner stands at the same place, however often the shard is taken over.
    TestNode two = join("two");
    await("half of the shards", () -> one.owned() == 2 && two.owned() == 2);
    nodes.remove(one);
    one.close();
    await("all shards", () -> two.owned() == TestNode.SHARDS);
    await("trouble", () -> trouble(two, 1) != null);
    assertThat(delivered()).isEqualTo(10);

    try (EventReader reader = new EventReader(brokers, prefix)) {
      two.host().records().skip(1, newer.offset());
      await("the next one", () -> ("" + trouble(two, 1)).contains("has version 3"));
      assertThat(delivered()).isEqualTo(10);
      two.host().records().skip(1, another.offset());
      await("all", () -> delivered() == 12);
      assertThat(trouble(two, 1)).isNull();
      await("told", () -> reader.read("skipped").size() == 2);
      JsonNode told = reader.read("skipped").get(0);
      assertThat(told.get("kafkaTopic").stringValue()).isEqualTo(prefix + ".in");
      assertThat(told.get("partition").intValue()).isEqualTo(1);
      assertThat(told.get("offset").longValue()).isEqualTo(newer.offset());
      assertThat(told.get("reason").stringValue()).contains("has version 2");
      assertThat(reader.read("refused")).isEmpty();
    }
    assertThat(two.host().refusedRecords()).isZero();

    // What was passed over is so for the owners to come.
    TestNode three = join("three");
    await("half of the shards", () -> two.owned() == 2 && three.owned() == 2);
    nodes.remove(two);
    two.close();
    await("all shards", () -> three.owned() == TestNode.SHARDS);
    three.publish("orders", "last");
    await("the last ones", () -> delivered() == 16);
    assertThat(arrived.values()).allMatch(times -> times.get() == TestNode.SHARDS);
  }

  @Test
  void anOperatorIsToldWhatARecordIs() throws Exception {
    TestNode one = one();
    Map<String, byte[]> orders = Map.of(OpenMessage.TOPIC, "orders".getBytes(UTF_8));
    long message = put(".open", 0, orders, "m".getBytes(UTF_8)).offset();
    long unknown =
        put(".open", 0, Map.of(OpenMessage.TOPIC, new byte[] {'x'}), new byte[0]).offset();
    long stray = put(".in", 2, Map.of(), new byte[] {2, 7}).offset();
    await("delivered", () -> delivered() == 4);

    TopicRecords records = one.host().records();
    TopicRecords.Place place = records.show(true, 0, message);
    assertThat(place.meaning())
        .isEqualTo(
            "a message of an application to topic orders of project default,"
                + " application/octet-stream");
    TopicRecords.Content content = Objects.requireNonNull(place.record());
    assertThat(content.valueBytes()).isEqualTo(1);
    assertThat(content.keyBytes()).isEqualTo(-1);
    assertThat(content.headers())
        .singleElement()
        .satisfies(
            header -> {
              assertThat(header.name()).isEqualTo(OpenMessage.TOPIC);
              assertThat(header.value()).asString(UTF_8).isEqualTo("orders");
            });
    assertThat(records.show(true, 0, unknown).meaning())
        .isEqualTo("no message: reprise-topic is x: there is no such topic in project default");
    assertThat(records.show(false, 2, stray).meaning()).startsWith("no message: record of intake");
    assertThat(records.show(false, 2, 100_000))
        .matches(each -> each.record() == null && each.meaning().equals("is still to come"));
    assertThat(meanings(records, ".in"))
        .anyMatch(each -> each.matches("message .* for 1 subscriptions of this shard.*"))
        .contains("a probe of a node, which says nothing");

    try (KafkaProducer<byte[], byte[]> application =
        producer(Map.of("transactional.id", prefix + "-application"))) {
      application.initTransactions();
      application.beginTransaction();
      long pending = put(application, ".open", 3, orders, new byte[0]).offset();
      assertThat(records.show(true, 3, pending).meaning())
          .startsWith("waits for a transaction that is open, its own or one before it: a message");
      application.abortTransaction();
      await(
          "the end of it",
          () -> records.show(true, 3, pending).meaning().startsWith("belongs to a transaction"));
      assertThat(records.show(true, 3, pending + 1).meaning()).contains("the end of a transaction");
    }
  }

  private List<String> meanings(TopicRecords records, String topic) {
    List<String> all = new ArrayList<>();
    for (int partition = 0; partition < TestNode.SHARDS; partition++) {
      long end = records.show(topic.equals(".open"), partition, 0).end();
      for (long offset = 0; offset < end; offset++) {
        all.add(records.show(topic.equals(".open"), partition, offset).meaning());
      }
    }
    return all;
  }
}
