package dev.reprise.cluster.intake;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cluster.EventReader;
import dev.reprise.cluster.SharedBroker;
import dev.reprise.cluster.TestNode;
import dev.reprise.cluster.broker.Brokers;
import dev.reprise.delivery.AttributeFilter;
import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.fixtures.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Applications that publish with a producer of Kafka and nothing else. */
@Tag("slow")
class OpenIntakeTest {
  private static final AtomicInteger CLUSTERS = new AtomicInteger();

  private static Brokers brokers;
  private static KafkaProducer<byte[], byte[]> producer;

  @TempDir Path folder;
  private final List<TestNode> nodes = new ArrayList<>();
  private final Random random = new Random(7);
  private String prefix;

  /** How often each message has arrived, by its body. */
  private final Map<String, AtomicInteger> arrived = new ConcurrentHashMap<>();

  @BeforeAll
  static void findBroker() throws Exception {
    brokers = SharedBroker.get();
    producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", brokers.bootstrap()),
            new ByteArraySerializer(),
            new ByteArraySerializer());
  }

  @AfterAll
  static void closeProducer() {
    producer.close();
  }

  @BeforeEach
  void newCluster() {
    prefix = "o" + CLUSTERS.incrementAndGet();
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

  private void await(String what, Await.Condition condition) {
    Await.until(what, () -> ledger() + ", " + arrived.size() + " messages have arrived", condition);
  }

  private Ledger ledger() {
    Ledger sum = Ledger.EMPTY;
    for (TestNode node : nodes) {
      sum = sum.plus(node.engine.ledger());
    }
    return sum;
  }

  /**
   * A cluster of two nodes, of which the first one has the catalog, and {@code count} endpoints.
   */
  private void twoNodes(int count) {
    TestNode one = join("one");
    await("all shards", () -> one.owned() == TestNode.SHARDS);
    one.engine.addTopic("orders");
    subscribe(one, "orders", count);
    TestNode two = join("two");
    await("half of the shards", () -> one.owned() == 2 && two.owned() == 2);
    await(
        "the catalog",
        () ->
            two.engine.catalog().find("orders") != null
                && two.engine.catalog().topic("orders").subscriptions().size() == count);
  }

  private static List<Subscription> subscribe(TestNode node, String topic, int count) {
    List<Subscription> made = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      made.add(node.engine.subscribe(topic, SubscriptionSettings.of("http://192.0.2.1/" + i)));
    }
    return made;
  }

  private RecordMetadata put(int partition, Map<String, String> headers, byte[] value) {
    return put(".open", partition, headers, value);
  }

  private RecordMetadata put(
      String topic, int partition, Map<String, String> headers, byte[] value) {
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(prefix + topic, partition, null, value);
    headers.forEach((name, text) -> record.headers().add(name, text.getBytes(UTF_8)));
    try {
      return producer.send(record).get(5, TimeUnit.MINUTES);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private void publish(String body) {
    put(random.nextInt(TestNode.SHARDS), Map.of(OpenMessage.TOPIC, "orders"), body.getBytes(UTF_8));
  }

  @Test
  void everySubscriptionGetsEachRecordOnce() {
    twoNodes(8);
    for (int i = 0; i < 100; i++) {
      publish("m" + i);
    }

    await("delivered", () -> ledger().delivered() == 800);
    assertThat(arrived).hasSize(100);
    assertThat(arrived.values()).allMatch(times -> times.get() == 8);
    assertThat(ledger().accepted()).isEqualTo(800);
  }

  @Test
  void nodesThatComeAndGoLoseNothingAndRepeatNothing() {
    twoNodes(8);
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < 100; i++) {
        publish(round + "." + i);
        if (i == 50) {
          nodes.remove(0).close();
        }
      }
      TestNode left = nodes.get(0);
      await("all shards", () -> left.owned() == TestNode.SHARDS);
      TestNode back = join("again" + round);
      await("half of the shards", () -> back.owned() == 2);
    }

    await("delivered", () -> ledger().delivered() == 2400);
    assertThat(ledger().accepted()).isEqualTo(2400);
    assertThat(arrived).hasSize(300);
    assertThat(arrived.values()).allMatch(times -> times.get() == 8);
  }

  @Test
  void oneThatIsForwardedAgainIsAcceptedOnce() {
    twoNodes(8);
    RecordMetadata put = put(3, Map.of(OpenMessage.TOPIC, "orders"), "m".getBytes(UTF_8));
    await("delivered", () -> ledger().delivered() == 8);

    // What the next owner would forward after a crash of the one that has not passed it over.
    Map<Integer, byte[]> forwarded = new HashMap<>();
    MessageId id = null;
    for (ConsumerRecord<byte[], byte[]> each : all(".open")) {
      assertThat(each.partition()).isEqualTo(put.partition());
      assertThat(each.offset()).isEqualTo(put.offset());
      id = OpenIntake.idOf(each);
    }
    for (ConsumerRecord<byte[], byte[]> each : all(".in")) {
      assertThat(each.headers().lastHeader(IntakeRecord.NODE).value()).containsExactly(1);
      IntakeRecord record = IntakeRecord.decode(each.value());
      if (record != null) {
        assertThat(record.keyed()).isTrue();
        forwarded.put(each.partition(), each.value());
      }
    }
    assertThat(forwarded).hasSize(TestNode.SHARDS);
    for (Map.Entry<Integer, byte[]> each : forwarded.entrySet()) {
      assertThat(Objects.requireNonNull(IntakeRecord.decode(each.getValue())).message())
          .isEqualTo(id);
      // As an older node has written it, without the header.
      put(".in", each.getKey(), Map.of(), each.getValue());
    }

    nodes.get(1).publish("orders", "n");
    await("those behind", () -> ledger().delivered() == 16);
    assertThat(ledger().accepted()).isEqualTo(16);
    assertThat(arrived.get("m")).hasValue(8);
  }

  private List<ConsumerRecord<byte[], byte[]>> all(String topic) {
    List<ConsumerRecord<byte[], byte[]>> all = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", brokers.bootstrap()),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      List<TopicPartition> partitions = new ArrayList<>();
      for (int i = 0; i < TestNode.SHARDS; i++) {
        partitions.add(new TopicPartition(prefix + topic, i));
      }
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      await(
          "the end of the topic",
          () -> {
            consumer.poll(Duration.ofMillis(50)).forEach(all::add);
            return partitions.stream().allMatch(p -> consumer.position(p) >= ends.get(p));
          });
    }
    return all;
  }

  @Test
  void attributesAndTypeAreThoseOfTheHeaders() {
    TestNode one = join("one");
    await("all shards", () -> one.owned() == TestNode.SHARDS);
    one.engine.addTopic("orders");
    AttributeFilter filter =
        AttributeFilter.of(JsonMapper.shared().readTree("{\"amount\":[{\"numeric\":[\">\",5]}]}"));
    SubscriptionSettings all = SubscriptionSettings.of("http://192.0.2.1/");
    one.engine.subscribe(
        "orders",
        new SubscriptionSettings(
            all.protocol(),
            all.endpoint(),
            all.carrier(),
            all.format(),
            all.policy(),
            filter,
            all.deadLetters(),
            all.lifetime(),
            all.maxInFlight(),
            all.http(),
            all.deadLetterTarget(),
            all.startSuspended(),
            all.suspendWhenGone()));
    for (String amount : List.of("4", "7", "5.5")) {
      Map<String, String> headers = new HashMap<>();
      headers.put(OpenMessage.TOPIC, "orders");
      headers.put(OpenMessage.PROJECT, "default");
      headers.put(OpenMessage.CONTENT_TYPE, "application/json");
      headers.put(OpenMessage.ATTRIBUTES, "{\"amount\":" + amount + "}");
      put(2, headers, amount.getBytes(UTF_8));
    }

    await("delivered", () -> ledger().delivered() == 2);
    assertThat(arrived).containsOnlyKeys("7", "5.5");
    assertThat(one.host().refusedRecords()).isZero();
  }

  @Test
  void refusedOnesAreToldAndHoldNobodyUp() {
    twoNodes(4);
    byte[] body = "x".getBytes(UTF_8);
    try (EventReader reader = new EventReader(brokers, prefix)) {
      for (int partition = 0; partition < TestNode.SHARDS; partition++) {
        put(partition, Map.of(OpenMessage.TOPIC, "unknown"), body);
        put(
            partition,
            Map.of(OpenMessage.TOPIC, "orders", OpenMessage.ATTRIBUTES, "{\"a\":1,\"a\":2}"),
            body);
        put(partition, Map.of(OpenMessage.TOPIC, "orders"), new byte[257 << 10]);
        put(partition, Map.of(OpenMessage.TOPIC, "reprise:operator"), body);
        put(partition, Map.of(), "{\"by\":\"mistake\"}".getBytes(UTF_8));
        put(partition, Map.of(), null);
        put(partition, Map.of(OpenMessage.TOPIC, "orders"), ("m" + partition).getBytes(UTF_8));
      }

      await("delivered", () -> ledger().delivered() == 16);
      await("told", () -> reader.read("refused").size() == 24);
      await("told as well", () -> reader.read("delivered").size() == 16);
      List<String> reasons = new ArrayList<>();
      for (JsonNode each : reader.read("refused")) {
        if (each.get("partition").intValue() == 3) {
          reasons.add(each.get("reason").stringValue());
        }
      }
      assertThat(reasons)
          .satisfiesExactlyInAnyOrder(
              reason -> assertThat(reason).contains("unknown", "no such topic"),
              reason -> assertThat(reason).contains("\"a\" is given twice"),
              reason -> assertThat(reason).contains("263168 bytes"),
              reason -> assertThat(reason).contains("only the service publishes"),
              reason -> assertThat(reason).contains("reprise-topic is absent"),
              reason -> assertThat(reason).contains("reprise-topic is absent"));
      assertThat(reader.read("refused"))
          .allMatch(each -> each.get("kafkaTopic").stringValue().equals(prefix + ".open"));
    }
    long refused = nodes.stream().mapToLong(node -> node.host().refusedRecords()).sum();
    assertThat(refused).isEqualTo(24);
  }

  @Test
  void aTopicMadeJustBeforeIsNotUnknown() {
    twoNodes(4);
    TestNode maker = nodes.get(0);
    for (int i = 0; i < 25; i++) {
      maker.engine.addTopic("young" + i);
      for (int partition = 0; partition < TestNode.SHARDS; partition++) {
        put(partition, Map.of(OpenMessage.TOPIC, "young" + i), new byte[0]);
      }
    }
    for (int partition = 0; partition < TestNode.SHARDS; partition++) {
      put(partition, Map.of(OpenMessage.TOPIC, "orders"), ("m" + partition).getBytes(UTF_8));
      // The place of what was published by a node is passed after those before it.
      maker.publish("orders", "n" + partition);
    }

    await("delivered", () -> ledger().delivered() == 32);
    assertThat(nodes).allMatch(node -> node.host().refusedRecords() == 0);
  }

  /** Applications of a cluster that had no topic for them go on until they are changed. */
  @Test
  void whatComesIntoTheTopicOfNodesIsTakenAsBefore() {
    twoNodes(4);
    try (EventReader reader = new EventReader(brokers, prefix)) {
      for (int partition = 0; partition < TestNode.SHARDS; partition++) {
        Map<String, String> orders = Map.of(OpenMessage.TOPIC, "orders");
        put(".in", partition, Map.of(OpenMessage.TOPIC, "unknown"), new byte[0]);
        put(".in", partition, Map.of(), "{\"by\":\"mistake\"}".getBytes(UTF_8));
        put(".in", partition, Map.of(), null);
        put(".in", partition, orders, ("m" + partition).getBytes(UTF_8));
      }

      await("delivered", () -> ledger().delivered() == 16);
      await("told", () -> reader.read("refused").size() == 12);
      List<String> reasons = new ArrayList<>();
      for (JsonNode each : reader.read("refused")) {
        assertThat(each.get("kafkaTopic").stringValue()).isEqualTo(prefix + ".in");
        if (each.get("partition").intValue() == 3) {
          reasons.add(each.get("reason").stringValue());
        }
      }
      assertThat(reasons)
          .satisfiesExactlyInAnyOrder(
              reason -> assertThat(reason).contains("unknown", "no such topic"),
              reason -> assertThat(reason).contains("version 123", OpenMessage.TOPIC),
              reason -> assertThat(reason).contains("neither a value"));
    }
    assertThat(arrived).hasSize(TestNode.SHARDS);
  }

  /** The place that was passed is in the shard's state: nobody forwards anything twice. */
  @Test
  void theNextOwnerBeginsBehindWhatWasPassed() {
    twoNodes(4);
    for (int i = 0; i < 40; i++) {
      put(i % TestNode.SHARDS, Map.of(OpenMessage.TOPIC, "orders"), ("m" + i).getBytes(UTF_8));
    }
    await("delivered", () -> ledger().delivered() == 160);
    await(
        "the places",
        () ->
            nodes.stream()
                .flatMap(node -> node.host().openPlaces().entrySet().stream())
                .allMatch(place -> place.getValue() == 9));
    long forwarded = forwarded();
    assertThat(forwarded).isGreaterThanOrEqualTo(160);

    TestNode left = nodes.remove(0);
    left.close();
    TestNode next = nodes.get(0);
    await("all shards", () -> next.owned() == TestNode.SHARDS);
    for (int i = 0; i < TestNode.SHARDS; i++) {
      put(i, Map.of(OpenMessage.TOPIC, "orders"), ("n" + i).getBytes(UTF_8));
    }
    await("those behind", () -> arrived.size() == 44);
    await("all of them", () -> arrived.values().stream().allMatch(times -> times.get() == 4));
    assertThat(forwarded()).isEqualTo(forwarded + 16);
  }

  private long forwarded() {
    return all(".in").stream().filter(each -> IntakeRecord.decode(each.value()) != null).count();
  }
}
