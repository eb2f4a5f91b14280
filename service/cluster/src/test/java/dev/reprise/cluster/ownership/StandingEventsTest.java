package dev.reprise.cluster.ownership;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cluster.EventReader;
import dev.reprise.cluster.SharedBroker;
import dev.reprise.cluster.TestNode;
import dev.reprise.cluster.broker.Brokers;
import dev.reprise.cluster.intake.OpenMessage;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.fixtures.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Readers of events are told once that a shard stands, and once that it goes on. */
@Tag("slow")
class StandingEventsTest {
  private static final Duration STANDS_AFTER = Duration.ofSeconds(2);
  private static final AtomicInteger CLUSTERS = new AtomicInteger();

  private static Brokers brokers;

  @TempDir Path folder;
  private final List<AutoCloseable> open = new ArrayList<>();
  private String prefix;
  private EventReader reader;

  @BeforeAll
  static void findBroker() throws Exception {
    brokers = SharedBroker.get();
  }

  @BeforeEach
  void newCluster() {
    prefix = "told-standing" + CLUSTERS.incrementAndGet();
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : open) {
      each.close();
    }
  }

  private TestNode join(String name) {
    return join(name, System::currentTimeMillis);
  }

  private TestNode join(String name, LongSupplier wall) {
    TestNode node =
        new TestNode(
            brokers,
            prefix,
            name,
            folder.resolve(name),
            Duration.ofSeconds(1),
            STANDS_AFTER,
            wall,
            body -> TestNode.delivered());
    open.add(node);
    return node;
  }

  private TestNode first(LongSupplier wall) {
    TestNode node = join("one", wall);
    Await.until("all shards", () -> node.owned() == TestNode.SHARDS);
    node.engine.addTopic("orders");
    for (int i = 0; i < TestNode.SHARDS; i++) {
      node.engine.subscribe("orders", SubscriptionSettings.of("http://127.0.0.1:1/" + i));
    }
    reader = new EventReader(brokers, prefix);
    open.add(0, reader);
    return node;
  }

  private KafkaProducer<byte[], byte[]> application() {
    KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", brokers.bootstrap(), "transactional.id", prefix),
            new ByteArraySerializer(),
            new ByteArraySerializer());
    open.add(0, producer);
    producer.initTransactions();
    return producer;
  }

  /** Begins a transaction that holds up a partition of what applications publish. */
  private RecordMetadata holdUp(KafkaProducer<byte[], byte[]> application, int partition)
      throws Exception {
    application.beginTransaction();
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(prefix + ".open", partition, null, "held".getBytes(UTF_8));
    record.headers().add(OpenMessage.TOPIC, "orders".getBytes(UTF_8));
    return application.send(record).get(5, TimeUnit.MINUTES);
  }

  /** On a machine that stands still others may stand as well, and are told. */
  private List<JsonNode> events(String event, int shard) {
    return reader.read(event).stream()
        .filter(each -> each.get("shard").intValue() == shard)
        .toList();
  }

  private JsonNode awaitEvent(String event, int shard, int count) {
    Await.until(event + " " + count, () -> events(event, shard).size() >= count);
    assertThat(events(event, shard)).hasSize(count);
    return events(event, shard).get(count - 1);
  }

  private boolean isEachOver() {
    return List.of(1, 2, 3).stream()
        .allMatch(each -> events("resumed", each).size() == events("standing", each).size());
  }

  private static String time(RecordMetadata appended) {
    return Instant.ofEpochMilli(appended.timestamp()).toString();
  }

  @Test
  void eachStandIsToldOnceAndThatItIsOver() throws Exception {
    TestNode node = first(System::currentTimeMillis);
    KafkaProducer<byte[], byte[]> application = application();
    RecordMetadata held = holdUp(application, 3);

    JsonNode standing = awaitEvent("standing", 3, 1);
    assertThat(standing.get("since").stringValue()).isEqualTo(time(held));
    assertThat(standing.get("records").intValue()).isPositive();
    assertThat(standing.has("orEarlier")).isFalse();
    assertThat(standing.get("reason").stringValue())
        .isEqualTo(
            "a transaction that is open in %s.open-3 at %s holds up what follows it"
                .formatted(prefix, held.offset()));
    Await.until("it is remembered", () -> node.host().stands().containsKey(3));
    application.commitTransaction();
    JsonNode resumed = awaitEvent("resumed", 3, 1);
    assertThat(resumed.get("since").stringValue()).isEqualTo(time(held));
    Await.until("it is forgotten", () -> !node.host().stands().containsKey(3));

    // Whatever was told twice of the first one is before what is told of the second.
    RecordMetadata again = holdUp(application, 3);
    assertThat(awaitEvent("standing", 3, 2).get("since").stringValue()).isEqualTo(time(again));
    application.abortTransaction();
    assertThat(awaitEvent("resumed", 3, 2).get("since").stringValue()).isEqualTo(time(again));
    assertThat(events("standing", 3)).hasSize(2);
  }

  @Test
  void theNextOwnerRepeatsNothingAndTellsTheEnd() throws Exception {
    TestNode one = first(System::currentTimeMillis);
    KafkaProducer<byte[], byte[]> application = application();
    RecordMetadata held = holdUp(application, 2);
    awaitEvent("standing", 2, 1);
    Await.until("it is remembered", () -> one.host().stands().containsKey(2));
    // Its owner, which may be another one now, and the node that follows it.
    TestNode two = join("two");
    Await.until("both have shards", () -> one.owned() == 2 && two.owned() == 2);
    Await.until(
        "both remember it",
        () -> one.host().stands().containsKey(2) && two.host().stands().containsKey(2));
    for (int i = 0; i < 20; i++) {
      one.publish("orders", "{}");
    }
    one.close();

    Await.until("all shards", () -> two.owned() == TestNode.SHARDS);
    Await.until(
        "it stands here",
        () ->
            two.host().state().owned().stream()
                .anyMatch(each -> each.shard() == 2 && each.backlog().stands()));
    application.commitTransaction();
    JsonNode resumed = awaitEvent("resumed", 2, 1);
    assertThat(resumed.get("since").stringValue()).isEqualTo(time(held));
    Await.until("it is forgotten", () -> !two.host().stands().containsKey(2));
    assertThat(events("standing", 2)).hasSize(1);
  }

  @Test
  void shardsThatNobodyOwnsAreToldAsWell() {
    AtomicLong ahead = new AtomicLong();
    TestNode node = first(() -> System.currentTimeMillis() + ahead.get());
    node.publish("orders", "{}");
    Await.until("delivered", () -> node.engine.ledger().delivered() == TestNode.SHARDS);
    // Probes go to the first shard, and whatever was told before is over.
    Await.until("nothing stands", this::isEachOver);
    // Its clock is wrong now, so it gives back what it owns.
    ahead.set(11_000);
    Await.until("nothing is owned", () -> node.host().state().owned().isEmpty());
    node.publish("orders", "{}");
    for (int shard = 1; shard < TestNode.SHARDS; shard++) {
      int number = shard;
      Await.until(
          "shard " + shard,
          () ->
              events("standing", number).stream()
                  .anyMatch(each -> each.get("reason").stringValue().equals("no node owns it")));
    }
    assertThat(isEachOver()).isFalse();
    ahead.set(0);
    Await.until("each goes on", this::isEachOver);
  }
}
