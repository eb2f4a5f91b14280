package dev.reprise.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cluster.broker.Brokers;
import dev.reprise.cluster.intake.OpenMessage;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.fixtures.Await;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What applications have published and brokers delete before a shard has taken it. */
@Tag("slow")
class OpenLossTest {
  private static final AtomicInteger CLUSTERS = new AtomicInteger();

  @TempDir Path folder;
  private final Queue<String> delivered = new ConcurrentLinkedQueue<>();
  private final List<AutoCloseable> open = new ArrayList<>();
  private String prefix;
  private Brokers brokers;
  private Admin admin;
  private KafkaProducer<byte[], byte[]> producer;

  @BeforeEach
  void begin() throws Exception {
    prefix = "gone-open" + CLUSTERS.incrementAndGet();
    brokers = SharedBroker.get();
    admin = Admin.create(Map.of("bootstrap.servers", brokers.bootstrap()));
    open.add(admin);
    producer = producer(Map.of());
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : open) {
      each.close();
    }
  }

  private KafkaProducer<byte[], byte[]> producer(Map<String, Object> more) {
    Map<String, Object> settings = new HashMap<>(more);
    settings.put("bootstrap.servers", brokers.bootstrap());
    KafkaProducer<byte[], byte[]> made =
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    open.add(0, made);
    return made;
  }

  /** An application that publishes in a transaction, which has begun. */
  private KafkaProducer<byte[], byte[]> inTransaction() {
    KafkaProducer<byte[], byte[]> made = producer(Map.of("transactional.id", prefix));
    made.initTransactions();
    made.beginTransaction();
    return made;
  }

  private TestNode node(String name) throws Exception {
    TestNode node =
        new TestNode(
            brokers,
            prefix,
            name,
            folder.resolve(name),
            body -> {
              delivered.add(body);
              return TestNode.delivered();
            });
    open.add(0, node);
    Await.until("shards", () -> node.owned() == TestNode.SHARDS);
    return node;
  }

  /** A node that has made a topic with a subscription. */
  private TestNode firstNode() throws Exception {
    TestNode node = node("one");
    node.engine.addTopic("orders");
    node.engine.subscribe("orders", SubscriptionSettings.of("http://192.0.2.1/"));
    return node;
  }

  private RecordMetadata publish(
      KafkaProducer<byte[], byte[]> application, int partition, String body) throws Exception {
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(prefix + ".open", partition, null, body.getBytes(UTF_8));
    record.headers().add(OpenMessage.TOPIC, "orders".getBytes(UTF_8));
    return application.send(record).get(5, TimeUnit.MINUTES);
  }

  /** Does what retention does with all that is there. */
  private void deleteAll(int partition) throws Exception {
    Map<TopicPartition, RecordsToDelete> all =
        Map.of(new TopicPartition(prefix + ".open", partition), RecordsToDelete.beforeOffset(-1));
    admin.deleteRecords(all).all().get(5, TimeUnit.MINUTES);
  }

  private static boolean acknowledge(TestNode node) throws Exception {
    return node.engine.acknowledgeLost().toCompletableFuture().get(5, TimeUnit.MINUTES);
  }

  @Test
  void whatIsGoneIsToldUntilSomebodyKnowsOfIt() throws Exception {
    try (TestNode one = firstNode()) {
      publish(producer, 1, "before");
      Await.until(
          "the first", () -> delivered.contains("before") && one.host().openPlaces().get(1) == 0);
    }
    for (int i = 0; i < 3; i++) {
      publish(producer, 1, "gone" + i);
    }
    publish(producer, 2, "there");
    deleteAll(1);

    String told = prefix + ".open-1: offsets 1 to 3 are gone, up to 3 messages";
    try (TestNode two = node("two")) {
      assertThat(two.host().problems())
          .singleElement()
          .asString()
          .startsWith(told)
          .contains("./reprise cluster acknowledge");
      // What is there goes on, in the same shard as well.
      publish(producer, 1, "after");
      Await.until("the others", () -> delivered.contains("there") && delivered.contains("after"));
    }
    try (TestNode three = node("three")) {
      assertThat(three.host().problems()).as("at the next owner").hasSize(1);
      assertThat(acknowledge(three)).isTrue();
      Await.until("no problem", () -> three.host().problems().isEmpty());
      assertThat(acknowledge(three)).isFalse();
    }
    assertThat(delivered).containsExactlyInAnyOrder("before", "there", "after");
    try (EventReader reader = new EventReader(brokers, prefix)) {
      Await.until("the event", () -> !reader.read("lost").isEmpty());
      JsonNode event = reader.read("lost").get(0);
      assertThat(reader.read("lost")).hasSize(1);
      assertThat(event.get("reason").stringValue()).startsWith(told);
      assertThat(event.get("kafkaTopic").stringValue()).isEqualTo(prefix + ".open");
      assertThat(event.get("partition").intValue()).isEqualTo(1);
      assertThat(event.get("offset").longValue()).isEqualTo(1);
      assertThat(event.get("lastOffset").longValue()).isEqualTo(3);
    }
  }

  @Test
  void whatIsDeletedWhileItsShardIsAtWorkIsToldAsWell() throws Exception {
    TestNode one = firstNode();
    // Nobody reads on behind a transaction that is open.
    KafkaProducer<byte[], byte[]> application = inTransaction();
    publish(application, 3, "open");
    publish(producer, 3, "behind");
    deleteAll(3);
    // The brokers give nothing of the partition until it ends.
    application.abortTransaction();
    publish(producer, 3, "after");

    Await.until("the next one", () -> delivered.contains("after"));
    Await.until("the loss", () -> !one.host().problems().isEmpty());
    assertThat(one.host().problems())
        .singleElement()
        .asString()
        .startsWith(prefix + ".open-3: offsets 0 to 1 are gone, up to 2 messages");
    assertThat(delivered).containsExactly("after");
    one.close();

    try (TestNode two = node("two")) {
      assertThat(two.host().problems()).as("after a restart").hasSize(1);
      assertThat(acknowledge(two)).isTrue();
      Await.until("no problem", () -> two.host().problems().isEmpty());
    }
  }

  @Test
  void whatIsNoMessageIsNotMissed() throws Exception {
    try (TestNode one = firstNode()) {
      KafkaProducer<byte[], byte[]> application = inTransaction();
      publish(application, 0, "committed");
      application.commitTransaction();
      application.beginTransaction();
      long aborted = publish(application, 0, "aborted").offset();
      application.abortTransaction();
      Await.until("the committed one", () -> delivered.contains("committed"));
      // The mark of the end is behind it.
      Await.until("the marks", () -> one.host().openPlaces().get(0) == aborted + 1);
    }
    deleteAll(0);

    try (TestNode two = node("two")) {
      assertThat(two.host().problems()).isEmpty();
      publish(producer, 0, "after");
      Await.until("the next one", () -> delivered.contains("after"));
      assertThat(two.host().problems()).isEmpty();
    }
  }
}
